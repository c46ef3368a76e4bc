import { Problem } from '../../domain/errors.ts'
import type { UserStatus } from '../../domain/user.ts'
import type { IdempotencyKey, RelationStore, Written } from '../../ports/store.ts'
import { emit, relationEvent, rulesEvent } from './emit.ts'
import { write } from './idempotency.ts'
import { pairLock, readerLock } from './locks.ts'
import { type Database, type Queries, statement } from './pool.ts'
import { mayWrite, mustExist } from './rows.ts'

/** $1 follows $2, if nothing stands against it; $3 is the number of follows allowed. */
const follow = statement(
  'follow',
  `with facts as (
     select (select status from users where number = $1) as reader_status,
       (select status from users where number = $2) as author_status,
       exists (select from blocks where (reader = $1 and author = $2)
         or (reader = $2 and author = $1)) as blocked,
       exists (select from follows where follower = $1 and followee = $2) as already,
       (select count(*) from (select from follows where follower = $1 limit $3) f) >= $3 as at_limit
   ), added as (
     insert into follows (follower, followee) select $1, $2 from facts
     where reader_status = 'active' and author_status <> 'gone'
       and not blocked and not already and not at_limit
     returning follower, followee, seq
   ), listed as (
     insert into followers (followee, follower, seq) select followee, follower, seq from added
   ), uncut as (
     delete from cuts using added where reader = follower and author = followee
   ), counted as (
     insert into user_deltas (user_number, followers, following)
     select followee, 1, 0 from added union all select follower, 0, 1 from added
   ), events as (
     ${emit(`select ${relationEvent('followee', 'follower')} from added
       union all select ${rulesEvent('follower')} from added`)}
   )
   select facts.*, exists (select from added) as added from facts`
)

const unfollow = statement(
  'unfollow',
  `with removed as (
     delete from follows where follower = $1 and followee = $2
       and exists (select from users where number = $1 and status = 'active')
     returning follower, followee
   ), ${ended('removed')}, events as (
     ${emit(`select ${relationEvent('followee', 'follower')} from removed
       union all select ${rulesEvent('follower')} from removed`)}
   )
   select (select status from users where number = $1) as status,
     exists (select from removed) as removed`
)

/** What the end of a follow means besides its event: the other side, the cut and the counts. */
export function ended(removed: string): string {
  return `unlisted as (
     delete from followers l using ${removed} r
     where l.followee = r.followee and l.follower = r.follower
   ), cut as (
     insert into cuts as c (reader, author) select follower, followee from ${removed}
     on conflict (reader, author) do update set version = excluded.version, seen_at = null
   ), counted as (
     insert into user_deltas (user_number, followers, following)
     select followee, -1, 0 from ${removed} union all select follower, 0, -1 from ${removed}
   )`
}

interface Facts {
  readonly reader_status: UserStatus | null
  readonly author_status: UserStatus | null
  readonly blocked: boolean
  readonly already: boolean
  readonly at_limit: boolean
  readonly added: boolean
}

async function followOne(
  tx: Queries,
  reader: number,
  author: number,
  max: number
): Promise<boolean> {
  const [facts] = await tx.rows<Facts>(follow, [reader, author, max])
  mayWrite(reader, facts?.reader_status)
  mustExist(author, facts?.author_status)
  if (facts?.blocked) throw new Problem('blocked')
  if (facts?.at_limit && !facts.already)
    throw new Problem('follows_limit', `The user follows ${max} users, the most allowed.`, { max })
  return facts?.added ?? false
}

async function unfollowOne(tx: Queries, reader: number, author: number): Promise<boolean> {
  const [row] = await tx.rows<{ status: UserStatus | null; removed: boolean }>(unfollow, [
    reader,
    author
  ])
  mayWrite(reader, row?.status)
  return row?.removed ?? false
}

export function follows(
  db: Database,
  followsMax: number
): Pick<RelationStore, 'follow' | 'unfollow'> {
  function change(
    name: string,
    reader: number,
    author: number,
    key: IdempotencyKey | undefined,
    work: (tx: Queries) => Promise<boolean>
  ): Promise<Written<boolean>> {
    const locks = [readerLock(reader), pairLock(reader, author)]
    return write(db, { name, key, locks }, work)
  }
  return {
    follow: (reader, author, key) =>
      change('follow', reader, author, key, tx => followOne(tx, reader, author, followsMax)),
    unfollow: (reader, author, key) =>
      change('unfollow', reader, author, key, tx => unfollowOne(tx, reader, author))
  }
}
