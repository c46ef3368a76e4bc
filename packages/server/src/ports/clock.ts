/** Time and chance. The simulator drives both. */
export interface Clock {
  /** Unix ms. May step backwards. */
  now(): number
  /** ms since some start; never goes backwards. */
  monotonic(): number
  /** 0 <= x < 1. */
  random(): number
  /** Resolves after `ms`, or at once when `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}
