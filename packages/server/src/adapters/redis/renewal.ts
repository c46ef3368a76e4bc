import { DAY_MS } from '../../domain/limits.ts'

/** Reads renew a list whose time left is below this: at most once a day, or ten times in a short life. */
export function renewBelowMs(idleMs: number): number {
  return idleMs - Math.min(DAY_MS, idleMs / 10)
}
