import { KEY_LIFE } from './idempotency.ts'
import { PARTITION_LOCK } from './locks.ts'
import { type Database, type Queries, statement } from './pool.ts'

/** Of outbox rows and of the ledger. */
const DAYS = 7

const keys = statement(
  'expire_keys',
  `delete from idempotency_keys where ctid = any(array(
     select ctid from idempotency_keys where created_at <= now() - ${KEY_LIFE} limit $1))
   returning owner`
)

/** Rows of days that have no partition of their own. */
const leftOver = statement(
  'expire_outbox_default',
  `delete from outbox_default where ctid = any(array(
     select ctid from outbox_default
     where created_at < now() - interval '${DAYS} days'
       and (published_at is not null or dead_at is not null) limit $1))
   returning id`
)

const oldLedger = statement(
  'expire_ledger_default',
  `delete from ledger_default where ctid = any(array(
     select ctid from ledger_default where at < now() - interval '${DAYS} days' limit $1))
   returning post`
)

const makePartitions = statement(
  'make_partitions',
  'select make_outbox_partitions(), make_ledger_partitions()'
)

/** Partitions that ended over 7 days ago. */
const old = statement(
  'old_partitions',
  `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
   where i.inhparent in ('outbox'::regclass, 'ledger'::regclass)
     and c.relname ~ '^(outbox|ledger)_[0-9]{8}$'
     and right(c.relname, 8) < to_char(
       (now() at time zone 'UTC')::date - ${DAYS + 1}, 'YYYYMMDD')
   order by 1`
)

/** Making and dropping partitions locks the whole table: rather later than waiting in everybody's way. */
const hurry = statement('partition_hurry', "select set_config('lock_timeout', '1s', true)")

async function renewPartitions(tx: Queries): Promise<number> {
  await tx.rows(hurry)
  await tx.rows(makePartitions)
  let dropped = 0
  for (const { name } of await tx.rows<{ name: string }>(old)) {
    if (name.startsWith('outbox') && (await hasOpen(tx, name))) continue
    await tx.rows({ name: '', text: `drop table ${name}` })
    dropped++
  }
  return dropped
}

async function hasOpen(tx: Queries, partition: string): Promise<boolean> {
  const text = `select 1 from ${partition} where published_at is null and dead_at is null limit 1`
  return (await tx.rows({ name: '', text })).length > 0
}

/** Returns how many keys, rows and partitions went. */
export async function expire(db: Database, limit: number): Promise<number> {
  const expired = await db.rows(keys, [limit])
  const rows = await db.rows(leftOver, [limit])
  const records = await db.rows(oldLedger, [limit])
  const locks = [{ space: PARTITION_LOCK, number: 0 }]
  const partitions = await db.transaction('partitions', locks, renewPartitions)
  return expired.length + rows.length + records.length + partitions
}
