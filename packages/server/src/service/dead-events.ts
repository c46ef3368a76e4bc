import type { AdminApi, DeadEvent } from '@fanwise/sdk'
import { Problem } from '../domain/errors.ts'
import { eventKey, type DeadEvent as StoredDeadEvent } from '../domain/event.ts'
import type { DeadRecord, EventLog } from '../ports/event-log.ts'
import type { Store } from '../ports/store.ts'
import type { ServiceContext } from './context.ts'
import { LIMIT_DEFAULT, pageOfRows } from './pages.ts'
import { SERVER } from './request-key.ts'

interface DeadContext extends Pick<ServiceContext, 'store' | 'cursors'> {
  readonly log: Pick<EventLog, 'deadRecords' | 'dropDeadRecords'>
}

type DeadApi = Pick<
  AdminApi,
  'deadEvents' | 'retryDead' | 'dropDead' | 'deadRecords' | 'dropDeadRecords'
>

/** Largest id that a row can have: what is asked for beyond it is not there. */
const ID_MAX = 2n ** 63n - 1n
const VALUE_MAX = 1000

/** What was given up: look at it, have it done after all, or forget it. */
export function deadEvents({ store, cursors, log }: DeadContext): DeadApi {
  return {
    deadEvents: (query = {}) =>
      pageOfRows(cursors, { list: 'dead', reader: SERVER, owner: SERVER }, query, {
        read: (after, limit) => store.deadEvents(after ?? '0', limit),
        position: ({ id }) => id,
        present: rows => present(store, rows)
      }),
    async retryDead(id) {
      if (BigInt(id) > ID_MAX || !(await store.retryDead(id))) throw unknownEvent(id)
    },
    async dropDead(id) {
      if (BigInt(id) > ID_MAX || !(await store.dropDead(id))) throw unknownEvent(id)
    },
    async deadRecords(limit = LIMIT_DEFAULT) {
      return ((await reached(log.deadRecords?.(limit))) ?? []).map(shortened)
    },
    async dropDeadRecords(position) {
      await reached(log.dropDeadRecords?.(position))
    }
  }
}

function unknownEvent(id: string): Problem {
  return new Problem(
    'event_not_found',
    `There is no event "${id}" among those that were given up. One that was retried has another id.`
  )
}

async function reached<T>(answer: Promise<T> | undefined): Promise<T | undefined> {
  try {
    return await answer
  } catch (cause) {
    throw new Problem('unavailable', 'The event log does not answer.', {}, { cause })
  }
}

function shortened(record: DeadRecord): DeadRecord {
  return { ...record, value: record.value.slice(0, VALUE_MAX).toWellFormed() }
}

/** With the app's ids. An event may be dead because of what it holds: what names nobody is null. */
async function present(
  store: Pick<Store, 'usersByNumbers'>,
  rows: readonly StoredDeadEvent[]
): Promise<DeadEvent[]> {
  const numbers = rows.flatMap(({ event }) => [eventKey(event), readerOf(event)])
  const valid = [...new Set(numbers)].filter(number => Number.isSafeInteger(number))
  const users = await store.usersByNumbers(valid as number[])
  const ids = new Map<unknown, string>(users.map(({ number, id }) => [number, id]))
  return rows.map(({ id, event, diedAt, attempts, reason }) => ({
    id,
    type: event.type,
    user: ids.get(eventKey(event)) ?? null,
    post: 'post' in event ? String(event.post) : null,
    reader: ids.get(readerOf(event)) ?? null,
    diedAt: new Date(diedAt).toISOString(),
    attempts,
    reason
  }))
}

function readerOf(event: StoredDeadEvent['event']): number | undefined {
  return event.type === 'relation' ? event.reader : undefined
}
