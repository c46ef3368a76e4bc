import { isPostId, type PostId, timeOf } from '../../domain/post-id.ts'
import type { Delivery } from '../../domain/user.ts'
import type {
  LedgerRow,
  LedgerStore,
  LedgerWork,
  PostEvent,
  Progress,
  ReaderRow,
  RelationEvent
} from '../../ports/ledger.ts'
import { packHas, packNumbers } from './number-set.ts'
import { type Database, type DatabaseOptions, statement } from './pool.ts'

/** By a worker's clock, as far as it may be true: a row of a day to come would be in the way of that day's partition. */
const AT = `greatest(now() - interval '1 hour',
       least(now() + interval '1 minute', to_timestamp(r.at / 1000.0)))`

const record = statement(
  'ledger_record',
  `insert into ledger (post, event, lane, log_partition, log_offset, worker, at, delivery, work,
     slice, slices, first_follower, last_follower, pushed, cold, late, failed, took)
   select r.post, r.event, r.lane, r.log_partition, r.log_offset, r.worker,
     ${AT}, r.delivery, r.work, r.slice, r.slices, r.first, r.last,
     r.pushed, r.cold, r.late, r.failed, r.took
   from unnest($1::bigint[], $2::text[], $3::smallint[], $4::integer[], $5::text[], $6::text[],
     $7::float8[], $8::text[], $9::text[], $10::integer[], $11::integer[], $12::bigint[],
     $13::bigint[], $14::integer[], $15::integer[], $16::integer[], $17::integer[], $18::bytea[])
     r (post, event, lane, log_partition, log_offset, worker, at, delivery, work, slice, slices,
       first, last, pushed, cold, late, failed, took)`
)

/** The values of each column, in the order of the statement. */
const COLUMNS: readonly ((row: LedgerRow) => unknown)[] = [
  row => row.post,
  row => row.event,
  row => row.lane,
  row => row.partition,
  row => row.offset,
  row => row.worker,
  row => row.at,
  row => row.delivery,
  row => row.work,
  row => row.slice,
  row => row.slices,
  row => row.first,
  row => row.last,
  row => row.pushed,
  row => row.cold,
  row => row.late,
  row => row.failed,
  row => packNumbers(row.took)
]

const MS = 'floor(extract(epoch from at) * 1000)::bigint'

const ofReader = statement(
  'ledger_of',
  `select event, lane, log_partition, log_offset, worker, ${MS} as at, delivery, work,
     slice, slices, pushed, cold, late, failed, took
   from ledger where post = $1 and (slice = 0 or $2 between first_follower and last_follower)
   order by ledger.at desc limit 20`
)

interface Row {
  readonly event: string
  readonly lane: number
  readonly log_partition: number | null
  readonly log_offset: string | null
  readonly worker: string
  readonly at: string
  readonly delivery: Delivery
  readonly work: LedgerWork
  readonly slice: number
  readonly slices: number | null
  readonly pushed: number
  readonly cold: number
  readonly late: number
  readonly failed: number
  readonly took: Buffer
}

function toReaderRow(post: PostId, reader: number, row: Row): ReaderRow {
  const { log_partition: partition, log_offset: offset, at, took, ...rest } = row
  return { ...rest, post, partition, offset, at: Number(at), took: packHas(took, reader) }
}

/** Slices beyond the last one are of a former try, when there were more followers. */
const progress = statement(
  'ledger_progress',
  `with latest as (
     select distinct on (slice) * from ledger where post = $1 order by slice, at desc
   ), newest as (
     select event, lane, log_partition, log_offset, delivery, work from latest
     order by at desc, slice desc limit 1
   ), counted as (
     select * from latest where slice <= coalesce(
       (select slices from latest where slices is not null order by at desc limit 1), slice)
   )
   select newest.*, sums.* from newest, (select
     count(*) filter (where work = 'pushed' and slice > 0)::integer as slices_done,
     max(slices) as slices, sum(pushed)::integer as pushed, sum(cold)::integer as cold,
     sum(late)::integer as late, sum(failed)::integer as failed,
     floor(extract(epoch from min(at)) * 1000)::bigint as started_at,
     floor(extract(epoch from max(at)) * 1000)::bigint as latest_at
   from counted) sums`
)

interface ProgressRow {
  readonly event: string
  readonly lane: number
  readonly log_partition: number | null
  readonly log_offset: string | null
  readonly delivery: Delivery
  readonly work: LedgerWork
  readonly slices_done: number
  readonly slices: number | null
  readonly pushed: number
  readonly cold: number
  readonly late: number
  readonly failed: number
  readonly started_at: string
  readonly latest_at: string
}

function toProgress(row: ProgressRow): Progress {
  const { log_partition: partition, log_offset: offset, slices_done: slicesDone } = row
  const { event, lane, delivery, work, slices, pushed, cold, late, failed } = row
  return {
    ...{ event, lane, partition, offset, delivery, work, slicesDone, slices },
    ...{ pushed, cold, late, failed },
    startedAt: Number(row.started_at),
    latestAt: Number(row.latest_at)
  }
}

const EVENT = `select id, lane, published_at, dead_at, dead_reason from outbox
  where type = 'post' and payload ->> 'post' = $1`

function eventFrom(found: string): string {
  return `select id::text as id, lane,
     floor(extract(epoch from published_at) * 1000)::bigint as published_at,
     floor(extract(epoch from dead_at) * 1000)::bigint as dead_at, dead_reason
   from (${found}) found order by found.id::bigint desc limit 1`
}

const known = statement('ledger_event_known', eventFrom(`${EVENT} and id = $2::bigint`))

/** Among what waits; among what was given up; else around the time of the post, which may be many rows. */
const sought = statement(
  'ledger_event_sought',
  eventFrom(`(${EVENT} and lane = lane_of_author($2) and published_at is null and dead_at is null
       limit 1)
     union all (${EVENT} and dead_at is not null limit 1)
     union all (${EVENT} and created_at between to_timestamp($3 / 1000.0) - interval '1 minute'
       and to_timestamp($3 / 1000.0) + interval '1 minute' limit 1)`)
)

const PAIR = `select from outbox where lane = lane_of_author($2) and type = 'relation'
  and payload ->> 'reader' = $1::bigint::text and payload ->> 'author' = $2::bigint::text
  and dead_at is null`

/** Of the young ones many may be looked through: they have no index but that of their time. */
const relation = statement(
  'ledger_relation_event',
  `select case when exists (${PAIR} and published_at is null) then 'waiting'
     when exists (${PAIR} and created_at > now() - interval '10 minutes') then 'published'
   end as event`
)

interface EventRow {
  readonly id: string
  readonly lane: number
  readonly published_at: string | null
  readonly dead_at: string | null
  readonly dead_reason: string | null
}

function toPostEvent(row: EventRow): PostEvent {
  const { id, lane, published_at: publishedAt, dead_at: deadAt, dead_reason: reason } = row
  return {
    id,
    lane,
    publishedAt: publishedAt === null ? null : Number(publishedAt),
    givenUp: deadAt === null ? null : { at: Number(deadAt), reason: reason ?? '' }
  }
}

/** What change data capture reads is marked as published when it is written: that says nothing of the log. */
function unseen(event: PostEvent): PostEvent {
  return { ...event, publishedAt: null }
}

export function ledger(db: Database, { relay }: Pick<DatabaseOptions, 'relay'>): LedgerStore {
  return {
    async record(rows) {
      if (rows.length === 0) return
      await db.rows(
        record,
        COLUMNS.map(column => rows.map(column))
      )
    },

    async ledgerOf(post, reader) {
      if (!isPostId(post)) return []
      const rows = await db.rows<Row>(ofReader, [post, reader])
      return rows.map(row => toReaderRow(post, reader, row))
    },

    async progressOf(post) {
      if (!isPostId(post)) return null
      const [row] = await db.rows<ProgressRow>(progress, [post])
      return row === undefined ? null : toProgress(row)
    },

    async eventOf(post, author, id) {
      if (!isPostId(post)) return null
      const isId = id !== undefined && /^[0-9]{1,18}$/.test(id)
      const [same] = isId ? await db.rows<EventRow>(known, [post, id]) : []
      if (same !== undefined) return toPostEvent(same)
      // One that was retried has another id.
      const [found] = await db.rows<EventRow>(sought, [post, author, timeOf(post)])
      if (found === undefined) return null
      return relay === 'cdc' ? unseen(toPostEvent(found)) : toPostEvent(found)
    },

    async relationEventOf(reader, author) {
      const [row] = await db.rows<{ event: RelationEvent }>(relation, [reader, author])
      return row?.event ?? null
    }
  }
}
