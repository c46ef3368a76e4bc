import type { StoreStats, UpkeepStore } from '../../ports/store.ts'
import { cleanGone } from './clean-gone.ts'
import { expire } from './expire.ts'
import { type Database, statement } from './pool.ts'

const epoch = statement('epoch', 'select value from epoch')
const raise = statement('epoch_raise', 'update epoch set value = value + 1 returning value')
const ping = statement('ping', 'select 1 as one')

/** Tables over this many rows are estimated by the planner's statistics. */
const EXACT_MAX = 1_000_000

function rowsOf(table: string, where: string): string {
  return `case when (select reltuples from pg_class where oid = '${table}'::regclass) > ${EXACT_MAX}
    then (select reltuples from pg_class where oid = '${table}'::regclass)::bigint
    else (select count(*) from ${table} ${where}) end`
}

const stats = statement(
  'stats',
  `select ${rowsOf('users', `where status <> 'gone'`)} as users,
     ${rowsOf('posts', 'where deleted_at is null')} as posts,
     ${rowsOf('follows', '')} as follows, ${rowsOf('likes', '')} as likes,
     (select count(*) from outbox where published_at is null and dead_at is null) as pending,
     (select count(*) from outbox where dead_at is not null) as dead`
)

type StatsRow = Record<'users' | 'posts' | 'follows' | 'likes' | 'pending' | 'dead', string>

async function readStats(db: Database): Promise<StoreStats> {
  const [row] = await db.rows<StatsRow>(stats)
  return {
    users: Number(row?.users),
    posts: Number(row?.posts),
    follows: Number(row?.follows),
    likes: Number(row?.likes),
    outboxPending: Number(row?.pending),
    outboxDead: Number(row?.dead)
  }
}

export function upkeep(db: Database): UpkeepStore {
  async function value(of: typeof epoch): Promise<number> {
    return Number((await db.rows<{ value: string }>(of))[0]?.value)
  }
  return {
    cleanGone: limit => cleanGone(db, limit),
    expire: limit => expire(db, limit),
    epoch: () => value(epoch),
    raiseEpoch: () => value(raise),
    stats: () => readStats(db),
    async ping() {
      await db.rows(ping)
    }
  }
}
