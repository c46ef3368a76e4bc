/** The channel on which processes with the role `relay` are told that the outbox has rows. */
export const OUTBOX_CHANNEL = 'fanwise_outbox'

/** One `NOTIFY` for all commits of this time: within each publishing transaction it would serialise commits. */
const EVERY_MS = 20

export interface Bell {
  /** There are rows: whoever listens is told within 20 ms. */
  ring(): void
  stop(): void
}

/** `notify` may fail: polling is the safety net. */
export function createBell(notify: () => Promise<unknown>): Bell {
  let timer: NodeJS.Timeout | undefined
  function sound(): void {
    timer = undefined
    notify().catch(() => undefined)
  }
  return {
    ring() {
      timer ??= setTimeout(sound, EVERY_MS)
    },
    stop: () => clearTimeout(timer)
  }
}
