import { Problem } from './errors.ts'
import { CLOCKS_MS } from './limits.ts'
import { FIRST_MS } from './post-id.ts'

/**
 * Whether a post may have been made at `createdAt` when it is `now`, both Unix ms. `field` names it.
 * @throws Problem time_out_of_range
 */
export function checkCreatedAt(createdAt: number, now: number, field = 'createdAt'): void {
  if (createdAt >= FIRST_MS && createdAt <= now + CLOCKS_MS) return
  throw new Problem(
    'time_out_of_range',
    `${field}: ${shown(createdAt)} is before ${shown(FIRST_MS)} or more than 5 s after ${shown(now)}, the time here.`,
    { createdAt }
  )
}

function shown(ms: number): string {
  // biome-ignore lint/style/noRestrictedGlobals: a time is written, none is taken
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : String(ms)
}
