import type { OutboxStore } from '../../ports/store.ts'
import { deadEvents } from './dead-events.ts'
import { openLanes } from './lanes.ts'
import { type Database, type DatabaseOptions, statement } from './pool.ts'

const pending = statement(
  'outbox_pending',
  'select count(*) as count from outbox where published_at is null and dead_at is null'
)

/** Those that were given up stay so. One round at a time: a week of events is more than one statement should take. */
const again = statement(
  'outbox_again',
  `with wanted as (
     select id, created_at from outbox
     where created_at > now() - $1::float8 * interval '1 ms' and id > $2
       and published_at is not null and dead_at is null
     order by id limit 5000
   ), changed as (
     update outbox o set published_at = null from wanted w
     where o.id = w.id and o.created_at = w.created_at
   )
   select count(*) as count, max(id)::text as last from wanted`
)

const position = statement('outbox_position', 'select pg_current_wal_lsn()::text as lsn')

/** A connector confirms what its records are safe of; null without a connector. */
const passed = statement(
  'outbox_passed',
  `select bool_and(confirmed_flush_lsn >= $1::pg_lsn) as passed from pg_replication_slots
   where database = current_database() and slot_type = 'logical'`
)

const kept = statement(
  'outbox_kept',
  `select max(pg_wal_lsn_diff(pg_current_wal_insert_lsn(), confirmed_flush_lsn))::bigint as bytes
   from pg_replication_slots where database = current_database() and slot_type = 'logical'`
)

export function outbox(db: Database, options: DatabaseOptions): OutboxStore {
  return {
    ...deadEvents(db),
    openLanes: () => openLanes(options, () => db.heard()),

    async outboxPending() {
      const [row] = await db.rows<{ count: string }>(pending)
      return Number(row?.count)
    },

    async republish(ageMs) {
      if (options.relay === 'cdc')
        throw new Error('Change data capture never reads a row again: raise the epoch instead.')
      let from = '0'
      for (let total = 0; ; ) {
        const [row] = await db.rows<{ count: string; last: string | null }>(again, [ageMs, from])
        total += Number(row?.count)
        if (!row?.last) return total
        from = row.last
        db.wake()
      }
    },

    async keptForCapture() {
      const [row] = await db.rows<{ bytes: string | null }>(kept)
      return row?.bytes ? Number(row.bytes) : null
    },

    async outboxMark() {
      const [row] = await db.rows<{ lsn: string }>(position)
      return row?.lsn ?? ''
    },

    async isRelayed(mark) {
      if (options.relay !== 'cdc')
        return Number((await db.rows<{ count: string }>(pending))[0]?.count) === 0
      const [row] = await db.rows<{ passed: boolean | null }>(passed, [mark])
      return row?.passed ?? false
    },

    onOutbox: listener => db.onOutbox(listener)
  }
}
