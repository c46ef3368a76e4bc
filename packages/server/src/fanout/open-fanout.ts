import { Problem } from '../domain/errors.ts'
import type { LoggedEvent } from '../domain/event.ts'
import type { EventHandler } from '../ports/event-log.ts'
import type { FanoutContext } from './fanout-context.ts'
import { handleEvents } from './handle-events.ts'

/** What EventLog.consume wants: a handler for each lane that is assigned to this process. */
export function openFanout(context: FanoutContext): (lane: number) => EventHandler {
  return lane => {
    const released = new AbortController()
    let work: Promise<unknown> = Promise.resolve()
    return {
      handle(events: readonly LoggedEvent[]): Promise<void> {
        const handled = handleEvents(context, events, released.signal)
        work = handled.catch(() => {})
        return handled
      },
      /** Resolves when nothing is written any more; a batch at work is left half-done, and its new owner does it again. */
      async close(): Promise<void> {
        released.abort(new Problem('unavailable', `Lane ${lane} was given to another worker.`))
        await work
      }
    }
  }
}
