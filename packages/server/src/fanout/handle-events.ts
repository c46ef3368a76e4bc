import type { LoggedEvent } from '../domain/event.ts'
import { isTransient } from '../domain/is-transient.ts'
import { retry } from '../lib/retry.ts'
import type { Burials } from './burials.ts'
import type { FanoutContext } from './fanout-context.ts'
import { giveUp } from './give-up.ts'
import { handleBatch } from './handle-batch.ts'

/** Tries of an event alone before it is given up, and the pause after the first, which doubles. */
const TRIES_MAX = 5
const PAUSE_MS = 100

/**
 * Handles a batch. When it fails for a reason that waiting does not cure, its events are handled one by one, and those
 * that fail again and again are given up: one poison event never stops the others. When all fail, none is given up.
 * @throws what is transient, or lets every event fail; the log brings the same events again then.
 */
export async function handleEvents(
  context: FanoutContext,
  burials: Burials,
  events: readonly LoggedEvent[],
  signal: AbortSignal
): Promise<void> {
  const { telemetry } = context
  try {
    await handleBatch(context, events, signal)
    burials.worked(events)
  } catch (error) {
    if (signal.aborted || isTransient(error)) throw error
    telemetry.log('warn', 'a batch of events failed; they are tried one by one', { error })
    await oneByOne(context, burials, events, signal)
  }
  telemetry.count('fanout_events', events.length)
}

/** Goes on after an event that must not be given up: if another one succeeds, not everything fails. */
async function oneByOne(
  context: FanoutContext,
  burials: Burials,
  events: readonly LoggedEvent[],
  signal: AbortSignal
): Promise<void> {
  const { telemetry } = context
  const kept: { readonly event: LoggedEvent; readonly error: unknown }[] = []
  for (const event of events) {
    try {
      await handleAlone(context, event, burials.suspended(event) ? 1 : TRIES_MAX, signal)
      burials.worked([event])
    } catch (error) {
      if (signal.aborted || isTransient(error)) throw error
      if (burials.permits(event)) await giveUp(context, event, error, signal)
      else kept.push({ event, error })
    }
  }
  const [first] = kept
  if (first === undefined) return
  telemetry.count('fanout_outages')
  telemetry.log('error', 'events of all users fail: none is given up any more until one succeeds', {
    ...first,
    events: kept.length
  })
  throw first.error
}

async function handleAlone(
  context: FanoutContext,
  event: LoggedEvent,
  attempts: number,
  signal: AbortSignal
): Promise<void> {
  await retry(() => handleBatch(context, [event], signal), {
    attempts,
    baseMs: PAUSE_MS,
    clock: context.clock,
    shouldRetry: error => !signal.aborted && !isTransient(error),
    signal
  })
}
