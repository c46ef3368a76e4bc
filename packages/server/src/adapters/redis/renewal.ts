import { DAY_MS, type FeedsLimits } from '../../domain/limits.ts'

/** Reads renew a list whose time left is below this: at most once a day, or ten times in a short life; 0: they don't. */
export function renewBelowMs({ idleMs, idleFrom = 'read' }: FeedsLimits): number {
  return idleFrom === 'build' ? 0 : idleMs - Math.min(DAY_MS, idleMs / 10)
}
