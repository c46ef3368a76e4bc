import type { Clock } from '../ports/clock.ts'

const FIRST_MS = 100
/** So long feeds wait on top when the log is back after an outage. */
const LONGEST_MS = 5000

/** Lanes that rest after a failure, longer each time. */
export interface Pauses {
  has(lane: number): boolean
  /** Returns how long the lane rests, in ms. */
  start(lane: number): number
  /** It works again: the next failure starts with a short pause. */
  end(lane: number): void
}

export function createPauses(clock: Pick<Clock, 'monotonic'>): Pauses {
  const pauses = new Map<number, { readonly ms: number; readonly until: number }>()
  return {
    has: lane => (pauses.get(lane)?.until ?? Number.NEGATIVE_INFINITY) > clock.monotonic(),
    start(lane) {
      const last = pauses.get(lane)
      const ms = last ? Math.min(2 * last.ms, LONGEST_MS) : FIRST_MS
      pauses.set(lane, { ms, until: clock.monotonic() + ms })
      return ms
    },
    end(lane) {
      pauses.delete(lane)
    }
  }
}
