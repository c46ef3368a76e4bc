import type { LoggedEvent } from '../domain/event.ts'
import type { FanoutContext } from './fanout-context.ts'
import { handleBatch } from './handle-batch.ts'
import { isTransient } from '../domain/is-transient.ts'

/** Tries of an event alone before it is buried. */
const TRIES_MAX = 5

/**
 * Handles a batch. When it fails for a reason that waiting does not cure, its events are handled one by one, and those
 * that fail again and again are buried: one poison event never stops the others.
 * @throws what is transient; the log brings the same events again then.
 */
export async function handleEvents(
  context: FanoutContext,
  events: readonly LoggedEvent[],
  signal: AbortSignal
): Promise<void> {
  const { telemetry } = context
  try {
    await handleBatch(context, events, signal)
  } catch (error) {
    if (signal.aborted || isTransient(error)) throw error
    telemetry.log('warn', 'a batch of events failed; they are tried one by one', { error })
    for (const event of events) await handleAlone(context, event, signal)
  }
  telemetry.count('fanout_events', events.length)
}

async function handleAlone(
  context: FanoutContext,
  event: LoggedEvent,
  signal: AbortSignal
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await handleBatch(context, [event], signal)
    } catch (error) {
      if (signal.aborted || isTransient(error)) throw error
      if (tries === TRIES_MAX) return bury(context, event, error)
    }
  }
}

async function bury(
  { store, telemetry }: FanoutContext,
  event: LoggedEvent,
  error: unknown
): Promise<void> {
  await store.bury(event, error instanceof Error ? error.message : String(error))
  telemetry.count('fanout_buried')
  telemetry.log('error', 'an event is given up', { event, error })
}
