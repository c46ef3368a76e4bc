import { Problem } from '../domain/errors.ts'
import type { EventHandler } from '../ports/event-log.ts'
import type { LedgerStore } from '../ports/ledger.ts'
import { createRecords } from './batch-record.ts'
import { createBurials } from './burials.ts'
import { dropInFlight } from './drop-in-flight.ts'
import type { FanoutContext } from './fanout-context.ts'
import { handleEvents } from './handle-events.ts'
import { createLedger, type Ledger } from './ledger.ts'

export interface WorkerContext extends Omit<FanoutContext, 'records'> {
  readonly store: FanoutContext['store'] & Pick<LedgerStore, 'record'>
  /** Names this process in the ledger. */
  readonly worker: string
  /** Outlives the handlers, so that whoever gives it can wait for it; one of their own if absent. */
  readonly ledger?: Ledger
}

/** What EventLog.consume wants: a handler for each lane that is assigned to this process. */
export function openFanout(given: WorkerContext): (lane: number) => EventHandler {
  const burials = createBurials()
  const { ledger = createLedger(given) } = given
  return lane => {
    const context = { ...given, records: createRecords({ ...given, ledger }, lane) }
    const released = new AbortController()
    let work: Promise<unknown> = Promise.resolve()
    function track(begun: Promise<void>): Promise<void> {
      work = Promise.allSettled([work, begun])
      return begun
    }
    return {
      recover: past => track(dropInFlight(context, past, released.signal)),
      handle: events => track(handleEvents(context, burials, events, released.signal)),
      /** Resolves when nothing is written any more; a batch at work is left half-done, and its new owner does it again. */
      async close(): Promise<void> {
        released.abort(new Problem('unavailable', `Lane ${lane} was given to another worker.`))
        await work
      }
    }
  }
}
