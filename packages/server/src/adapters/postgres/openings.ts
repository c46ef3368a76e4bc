import type { Relation } from '../../ports/store.ts'
import { begun, followEvents } from './follow.ts'
import { toRelation } from './follow-many.ts'
import { pairLock, readerLock } from './locks.ts'
import { type Database, statement } from './pool.ts'

/** Accounts that are worked on at once. */
const OPENINGS_MAX = 100

const openings = statement(
  'openings',
  `select followee, until from openings where $1::bigint is null or followee = $1
   order by until limit ${OPENINGS_MAX}`
)

/** Of each account in turn the oldest request, the second, ... None of users who are gone: these are cleaned up. */
const pending = statement(
  'openings_pending',
  `select q.follower, q.followee
   from unnest($1::bigint[], $2::bigint[]) o (followee, until)
   join users a on a.number = o.followee and a.status <> 'gone'
   cross join lateral (
     select follower, q.followee, row_number() over (order by q.seq) as nth
     from follow_requests q join users r on r.number = q.follower and r.status <> 'gone'
     where q.followee = o.followee and q.seq <= o.until order by q.seq limit $3
   ) q
   order by q.nth, q.followee limit $3`
)

const accept = statement(
  'openings_accept',
  `with asked as (
     select q.follower, q.followee
     from unnest($1::bigint[], $2::bigint[]) g (follower, followee)
     join follow_requests q on q.follower = g.follower and q.followee = g.followee
     join openings o on o.followee = q.followee and q.seq <= o.until
     join users r on r.number = q.follower and r.status <> 'gone'
   ), added as (
     insert into follows (follower, followee) select follower, followee from asked
     order by follower, followee returning follower, followee, seq
   ), ${begun('added')}, events as (${followEvents('added')})
   select follower, followee from added order by seq`
)

/** Only as they were read: an account that turned public again meanwhile may have requests again. */
const finish = statement(
  'openings_finish',
  `delete from openings o using unnest($1::bigint[], $2::bigint[]) w (followee, until)
   where o.followee = w.followee and o.until = w.until and not exists (
     select from follow_requests q join users r on r.number = q.follower and r.status <> 'gone'
     join users a on a.number = q.followee and a.status <> 'gone'
     where q.followee = o.followee and q.seq <= o.until)`
)

const left = statement('openings_left', 'select count(*)::integer as left from openings')

interface Opening {
  readonly followee: string
  readonly until: string
}

interface Asked {
  readonly follower: string
  readonly followee: string
}

async function acceptAll(db: Database, pairs: readonly Relation[]): Promise<readonly Relation[]> {
  if (pairs.length === 0) return []
  const locks = pairs.flatMap(({ reader, author }) => [
    readerLock(reader),
    pairLock(reader, author)
  ])
  const values = [pairs.map(({ reader }) => reader), pairs.map(({ author }) => author)]
  const rows = await db.transaction(accept.name, locks, tx => tx.rows<Asked>(accept, values))
  if (rows.length > 0) db.wake()
  return rows.map(toRelation)
}

/** The requests are read first and accepted under the locks of their pairs, where they are looked at again. */
export async function acceptOpened(
  db: Database,
  limit: number,
  author?: number
): Promise<readonly Relation[]> {
  const open = await db.rows<Opening>(openings, [author ?? null])
  if (open.length === 0) return []
  const values = [open.map(({ followee }) => followee), open.map(({ until }) => until)]
  const asked = await db.rows<Asked>(pending, [...values, limit])
  const added = await acceptAll(db, asked.map(toRelation))
  if (asked.length < limit) await db.rows(finish, values)
  return added
}

export async function openedPending(db: Database): Promise<number> {
  const [row] = await db.rows<{ left: number }>(left)
  return row?.left ?? 0
}
