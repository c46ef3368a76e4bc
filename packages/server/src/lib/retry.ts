/** What retrying needs of a clock. */
interface Pacer {
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  random(): number
}

export interface RetryOptions {
  /** Calls in all, the first included. */
  readonly attempts: number
  /** Pause after the first failure; it doubles with each further one. */
  readonly baseMs: number
  /** The longest pause. */
  readonly maxMs?: number
  readonly clock: Pacer
  /** Whether a failure may pass. Without it every failure may. */
  readonly shouldRetry?: (error: unknown) => boolean
  /** Ends the retrying: the last error is thrown. */
  readonly signal?: AbortSignal
}

/** Calls `fn` until it succeeds. Throws its last error. Pauses vary by half, so that callers don't come in step. */
export async function retry<T>(
  fn: (attempt: number) => Promise<T>,
  options: RetryOptions
): Promise<T> {
  const { attempts, clock, shouldRetry = () => true, signal } = options
  for (let attempt = 1; ; attempt++) {
    try {
      return await fn(attempt)
    } catch (error) {
      if (attempt >= attempts || !shouldRetry(error)) throw error
      await clock.sleep(pauseMs(attempt, options), signal)
      if (signal?.aborted) throw error
    }
  }
}

function pauseMs(attempt: number, { baseMs, maxMs = Infinity, clock }: RetryOptions): number {
  const full = Math.min(baseMs * 2 ** (attempt - 1), maxMs)
  return full * (0.5 + clock.random() / 2)
}
