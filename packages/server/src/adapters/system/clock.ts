import type { Clock } from '../../ports/clock.ts'

/** The longest delay that a timer of Node takes; a longer one would fire at once. */
const TIMER_MAX_MS = 2 ** 31 - 1

/** The time and chance of this machine. A pause keeps the process alive. */
export function createSystemClock(): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    random: () => Math.random(),
    async sleep(ms, signal) {
      for (let left = ms; left > 0 && !signal?.aborted; left -= TIMER_MAX_MS) {
        await pause(Math.min(left, TIMER_MAX_MS), signal)
      }
    }
  }
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal?.addEventListener('abort', end)
  })
}
