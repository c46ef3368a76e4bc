const BASE_MS = 100
const BACKOFF_MAX_MS = 5000
const RETRY_AFTER_MAX_MS = 60_000

/** How long to wait before the next attempt, in ms; `attempt` counts from 0. What the server asks for comes first. */
export function backoffMs(attempt: number, retryAfter: string | null): number {
  const asked = retryAfterMs(retryAfter)
  const ceiling = Math.min(BASE_MS * 2 ** attempt, BACKOFF_MAX_MS)
  return Math.max(asked, ceiling * (0.5 + Math.random() / 2))
}

/** Seconds or a date; 0 when absent or unreadable. */
function retryAfterMs(header: string | null): number {
  if (header === null) return 0
  const seconds = Number(header)
  const ms = Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1000
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), RETRY_AFTER_MAX_MS)
}

/** Resolves after `ms`; rejects with its reason when `signal` aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', abort, { once: true })
  })
}
