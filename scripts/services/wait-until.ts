import { setTimeout as wait } from 'node:timers/promises'

/** Asks every `everyMs` until the answer is yes; false if that takes over `ms`. A failure is a no. */
export async function waitUntil(
  yes: () => boolean | Promise<boolean>,
  ms: number,
  everyMs = 50
): Promise<boolean> {
  const end = performance.now() + ms
  for (;;) {
    if (await Promise.resolve(yes()).catch(() => false)) return true
    if (performance.now() > end) return false
    await wait(everyMs)
  }
}
