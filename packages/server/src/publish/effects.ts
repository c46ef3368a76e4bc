import { Problem } from '../domain/errors.ts'
import { isTransient } from '../domain/is-transient.ts'
import type { Telemetry } from '../ports/telemetry.ts'

/**
 * Runs an effect that the worker does again when it meets the write's event: a failure is noted, and the write stands.
 * Returns whether it was done.
 */
export async function attempt(
  telemetry: Telemetry,
  effect: string,
  run: () => Promise<unknown>
): Promise<boolean> {
  try {
    await run()
    return true
  } catch (error) {
    telemetry.count('effect_failures', 1, { effect })
    telemetry.log('warn', 'an effect is left to the worker', { effect, error })
    return false
  }
}

/**
 * Runs an effect without which the answer would be a lie: what was acknowledged must hold for the next read.
 * @throws Problem unavailable when a dependency failed; the write is stored, and repeating the request runs the
 * effect again. Other errors stay what they are: repeating cures no defect.
 */
export async function insist(effect: string, run: () => Promise<unknown>): Promise<void> {
  try {
    await run()
  } catch (cause) {
    if (!isTransient(cause)) throw cause
    throw new Problem(
      'unavailable',
      `The change is stored, but ${effect} failed. Repeat the request.`,
      {},
      { cause }
    )
  }
}
