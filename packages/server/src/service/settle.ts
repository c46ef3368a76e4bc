import type { Clock } from '../ports/clock.ts'
import type { EventLog } from '../ports/event-log.ts'
import type { Store } from '../ports/store.ts'

const POLL_MS = 5
const COUNTS_BATCH = 10_000

export interface SettleContext {
  readonly store: Pick<Store, 'openedPending' | 'outboxMark' | 'isRelayed' | 'flushCounts'>
  readonly log: Pick<EventLog, 'pending'>
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
  /** Resolves when no list is being built by this process. */
  readonly buildersIdle: () => Promise<void>
}

/**
 * Waits until requests to accounts that turned public, outbox, log and builders have nothing left and the displayed
 * counts are up to date. False when that took longer than `timeoutMs`.
 */
export async function settle(context: SettleContext, timeoutMs: number): Promise<boolean> {
  const end = context.clock.monotonic() + timeoutMs
  if (!(await settleEvents(context, timeoutMs))) return false
  return inTime(context, end - context.clock.monotonic())
}

/** The same but for builders: somebody who has one feed built after the other never finds them idle. */
export async function settleEvents(
  { store, log, clock }: Omit<SettleContext, 'buildersIdle'>,
  timeoutMs: number
): Promise<boolean> {
  const end = clock.monotonic() + timeoutMs
  const isLate = () => clock.monotonic() >= end
  // First: accepting them writes events.
  while ((await store.openedPending()) > 0) {
    if (isLate()) return false
    await clock.sleep(POLL_MS)
  }
  const mark = await store.outboxMark()
  while (!(await store.isRelayed(mark)) || (await unfinished(log)) > 0) {
    if (isLate()) return false
    await clock.sleep(POLL_MS)
  }
  // Less than a full batch has left nothing of what was there: what comes in meanwhile is not waited for.
  while ((await store.flushCounts(COUNTS_BATCH)) >= COUNTS_BATCH) if (isLate()) return false
  return true
}

async function inTime({ buildersIdle, clock }: SettleContext, ms: number): Promise<boolean> {
  const stop = new AbortController()
  const tooLate = clock.sleep(Math.max(0, ms), stop.signal).then(() => false)
  try {
    return await Promise.race([buildersIdle().then(() => true), tooLate])
  } finally {
    stop.abort()
  }
}

/** A log that does not answer has something left, as far as anybody knows. */
function unfinished(log: SettleContext['log']): Promise<number> {
  return log.pending().catch(() => 1)
}
