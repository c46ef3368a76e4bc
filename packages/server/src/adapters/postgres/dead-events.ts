import type { DeadEvent, FeedEvent } from '../../domain/event.ts'
import type { OutboxStore } from '../../ports/store.ts'
import { DONE_BY_CDC } from './emit.ts'
import { type Database, statement } from './pool.ts'

/** Whatever carries the rows: a log that keeps events by itself has them published before their work is done. */
const bury = statement(
  'dead_bury',
  `update outbox set dead_at = now(), dead_reason = $2, attempts = attempts + 1
   where id = $1 and dead_at is null`
)

const list = statement(
  'dead_list',
  `select id, lane, type, payload, attempts, dead_reason as reason,
     floor(extract(epoch from dead_at) * 1000)::bigint as died_at
   from outbox where dead_at is not null and id > $1 order by id limit $2`
)

/** A row of its own: change data capture reads inserts alone, and a late mark on the former row means nothing. */
const retry = statement(
  'dead_retry',
  `with former as (
     delete from outbox where id = $1 and dead_at is not null
     returning aggregateid, type, lane, payload, attempts
   )
   insert into outbox (aggregateid, type, lane, payload, attempts, published_at)
   select aggregateid, type, lane, payload, attempts, ${DONE_BY_CDC} from former
   returning id`
)

const drop = statement(
  'dead_drop',
  'delete from outbox where id = $1 and dead_at is not null returning id'
)

const REASON_MAX = 2000

interface Row {
  readonly id: string
  readonly lane: number
  readonly type: FeedEvent['type']
  readonly payload: Partial<FeedEvent> | null
  readonly attempts: number
  readonly reason: string
  readonly died_at: string
}

type DeadStore = Pick<OutboxStore, 'bury' | 'deadEvents' | 'retryDead' | 'dropDead'>

/** Events that were given up. */
export function deadEvents(db: Database): DeadStore {
  return {
    async bury(event, reason) {
      await db.rows(bury, [event.id, reason.replaceAll('\0', '').slice(0, REASON_MAX)])
    },

    async deadEvents(after, limit) {
      return (await db.rows<Row>(list, [after, limit])).map(toDeadEvent)
    },

    async retryDead(id) {
      const retried = await db.rows(retry, [id])
      if (retried.length > 0) db.wake()
      return retried.length > 0
    },

    dropDead: async id => (await db.rows(drop, [id])).length > 0
  }
}

/** It may have died because its payload is no object, or its type no text: then the row tells. */
function toDeadEvent({ id, lane, type, payload, attempts, reason, died_at }: Row): DeadEvent {
  const known = typeof payload?.type === 'string' ? payload.type : type
  const event = { ...payload, type: known } as FeedEvent
  return { id, lane, event, attempts, diedAt: Number(died_at), reason }
}
