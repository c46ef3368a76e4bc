import type { Clock } from '../../ports/clock.ts'
import { createRandom } from './random.ts'

export interface VirtualClockOptions {
  /** Unix ms. */
  readonly start?: number
  readonly seed?: number
}

/** A clock whose time stands still until it is moved. Whoever sleeps is woken in the order of the ends. */
export interface VirtualClock extends Clock {
  readonly seed: number
  /** Lets `ms` go by: wakes each sleeper at its time and waits until what it does comes to rest. */
  advance(ms: number): Promise<void>
  /**
   * Lets time go by until `work` has settled, and answers what it answers.
   * @throws Error when nobody sleeps and `work` still waits, or when `limitMs` have gone by.
   */
  runUntil<T>(work: Promise<T>, limitMs?: number): Promise<T>
  /** Sets `now` forward or back, as an operator does; sleepers and `monotonic` don't notice. */
  shift(ms: number): void
  readonly sleeping: number
}

interface Sleeper {
  readonly at: number
  readonly wake: () => void
}

const START_MS = Date.UTC(2026, 0, 1)
const LIMIT_MS = 30 * 86_400_000

/** Resolves when all that can go on without time going by has done so. */
function rest(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}

export function createVirtualClock(options: VirtualClockOptions = {}): VirtualClock {
  const { start = START_MS, seed = 1 } = options
  const sleepers: Sleeper[] = []
  let offset = 0
  let elapsed = 0

  function add(sleeper: Sleeper): void {
    const place = sleepers.findLastIndex(other => other.at <= sleeper.at)
    sleepers.splice(place + 1, 0, sleeper)
  }

  function remove(sleeper: Sleeper): void {
    const place = sleepers.indexOf(sleeper)
    if (place >= 0) sleepers.splice(place, 1)
  }

  /** Wakes the next sleeper, if it is due by then. */
  async function step(until: number): Promise<boolean> {
    const next = sleepers[0]
    if (next === undefined || next.at > until) return false
    sleepers.shift()
    elapsed = Math.max(elapsed, next.at)
    next.wake()
    await rest()
    return true
  }

  return {
    seed,
    now: () => Math.floor(start + offset + elapsed),
    monotonic: () => elapsed,
    random: createRandom(seed),
    sleep(ms, signal) {
      if (signal?.aborted) return Promise.resolve()
      return new Promise(resolve => {
        const sleeper = { at: elapsed + Math.max(ms, 0), wake }
        const abort = () => {
          remove(sleeper)
          wake()
        }
        function wake(): void {
          signal?.removeEventListener('abort', abort)
          resolve()
        }
        signal?.addEventListener('abort', abort)
        add(sleeper)
      })
    },
    async advance(ms) {
      const until = elapsed + ms
      await rest()
      while (await step(until));
      elapsed = until
    },
    async runUntil(work, limitMs = LIMIT_MS) {
      const until = elapsed + limitMs
      let settled = false
      const settle = () => {
        settled = true
      }
      work.then(settle, settle)
      await rest()
      while (!settled && (await step(until)));
      if (!settled) throw new Error(`Not done after ${limitMs} ms, or nobody sleeps any more`)
      return work
    },
    shift(ms) {
      offset += ms
    },
    get sleeping() {
      return sleepers.length
    }
  }
}
