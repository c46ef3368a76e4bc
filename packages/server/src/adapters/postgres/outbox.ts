import type { OutboxStore } from '../../ports/store.ts'
import { openLanes } from './lanes.ts'
import { type Database, type DatabaseOptions, statement } from './pool.ts'

const bury = statement(
  'outbox_bury',
  `update outbox set dead_at = now(), dead_reason = $2
   where id = $1 and published_at is null and dead_at is null`
)

const pending = statement(
  'outbox_pending',
  'select count(*) as count from outbox where published_at is null and dead_at is null'
)

const REASON_MAX = 2000

export function outbox(db: Database, options: DatabaseOptions): OutboxStore {
  return {
    openLanes: () => openLanes(options),

    async bury(event, reason) {
      await db.rows(bury, [event.id, reason.replaceAll('\0', '').slice(0, REASON_MAX)])
    },

    async outboxPending() {
      const [row] = await db.rows<{ count: string }>(pending)
      return Number(row?.count)
    },

    onOutbox: listener => db.onOutbox(listener)
  }
}
