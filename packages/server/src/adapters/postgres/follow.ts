import { Problem } from '../../domain/errors.ts'
import type { UserStatus } from '../../domain/user.ts'
import type { Followed, IdempotencyKey, RelationStore, Written } from '../../ports/store.ts'
import { emit, relationEvent, rulesEvent } from './emit.ts'
import { write } from './idempotency.ts'
import { authorLock, pairLock, readerLock } from './locks.ts'
import { type Database, type Queries, statement } from './pool.ts'
import { mayWrite, mustExist } from './rows.ts'

/**
 * $1 follows $2, if nothing stands against it; $3 is the number of follows allowed. Requests to others count: when they
 * are accepted there is room.
 */
const follow = statement(
  'follow',
  `with facts as (
     select (select status from users where number = $1) as reader_status,
       (select status from users where number = $2) as author_status,
       (select visibility from users where number = $2) as visibility,
       exists (select from blocks where (reader = $1 and author = $2)
         or (reader = $2 and author = $1)) as blocked,
       exists (select from follows where follower = $1 and followee = $2) as already,
       exists (select from follow_requests where follower = $1 and followee = $2) as requested,
       (select count(*) from (select from follows where follower = $1 limit $3) f)
         + (select count(*) from follow_requests where follower = $1 and followee <> $2) >= $3
         as at_limit
   ), added as (
     insert into follows (follower, followee) select $1, $2 from facts
     where reader_status = 'active' and author_status <> 'gone' and visibility = 'public'
       and not blocked and not already and not at_limit
     returning follower, followee, seq
   ), ${begun('added')}, events as (${followEvents('added')})
   select facts.*, exists (select from added) as added from facts`
)

const unfollow = statement('unfollow', endSql('$1', true))

/** $1's follow of $2 ends by `actor`, who must be active. */
export function endSql(actor: '$1' | '$2', withdraws: boolean): string {
  const active = `exists (select from users where number = ${actor} and status = 'active')`
  return `with removed as (
     delete from follows where follower = $1 and followee = $2 and ${active}
     returning follower, followee
   ), withdrawn as (
     delete from follow_requests
     where follower = $1 and followee = $2 and ${withdraws} and ${active} returning follower
   ), ${ended('removed')}, events as (${followEvents('removed')})
   select (select status from users where number = ${actor}) as status,
     exists (select from removed) or exists (select from withdrawn) as changed`
}

/** The events of follows that began or ended. */
export function followEvents(of: string): string {
  return emit(`select ${relationEvent('followee', 'follower')} from ${of}
    union all select ${rulesEvent('follower')} from ${of}`)
}

/** What new follows mean besides their events: the other side, no cut, no request, the counts. */
export function begun(added: string): string {
  return `listed as (
     insert into followers (followee, follower, seq) select followee, follower, seq from ${added}
   ), uncut as (
     delete from cuts c using ${added} a where c.reader = a.follower and c.author = a.followee
   ), unasked as (
     delete from follow_requests q using ${added} a
     where q.follower = a.follower and q.followee = a.followee
   ), counted as (
     insert into user_deltas (user_number, followers, following)
     select followee, count(*), 0 from ${added} group by followee
     union all select follower, 0, count(*) from ${added} group by follower
   )`
}

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

/** A statement of its own: what comes after it sees whatever was done under the lock before. */
const holdAuthor = statement('follow_hold_author', 'select pg_advisory_xact_lock_shared($1, $2)')

/** $1 asks $2, while they are private: under the lock, so that who turns public finds every request made before. */
const ask = statement(
  'follow_ask',
  `with author as materialized (
     select number from users
     where number = $2 and visibility = 'private' and status <> 'gone'
   ), added as (
     insert into follow_requests (followee, follower) select number, $1 from author
     on conflict do nothing
   )
   select exists (select from author) as asked,
     (select count(*) from follow_requests where follower = $1 and followee <> $2)::int as others`
)

interface Facts {
  readonly reader_status: UserStatus | null
  readonly author_status: UserStatus | null
  readonly blocked: boolean
  readonly already: boolean
  readonly requested: boolean
  readonly at_limit: boolean
  readonly added: boolean
}

interface Maxima {
  readonly followsMax: number
  readonly requestsMax: number
}

function refuse(facts: Facts | undefined, max: number): void {
  if (facts?.blocked) throw new Problem('blocked')
  if (facts?.at_limit && !facts.already && !facts.requested)
    throw new Problem('follows_limit', `The user follows ${max} users, the most allowed.`, { max })
}

/** False when the author is no longer private. @throws Problem requests_limit */
async function askOne(tx: Queries, reader: number, author: number, max: number): Promise<boolean> {
  const { space, number } = authorLock(author)
  await tx.rows(holdAuthor, [space, number])
  const [row] = await tx.rows<{ asked: boolean; others: number }>(ask, [reader, author])
  if (row?.asked && row.others >= max)
    throw new Problem('requests_limit', `The user waits for ${max} users, the most allowed.`, {
      max
    })
  return row?.asked ?? false
}

async function followOne(
  tx: Queries,
  reader: number,
  author: number,
  max: Maxima
): Promise<Followed> {
  for (;;) {
    const [facts] = await tx.rows<Facts>(follow, [reader, author, max.followsMax])
    mayWrite(reader, facts?.reader_status)
    mustExist(author, facts?.author_status)
    refuse(facts, max.followsMax)
    if (facts?.added || facts?.already) return facts.added
    if (facts?.requested || (await askOne(tx, reader, author, max.requestsMax))) return 'requested'
  }
}

export interface Ended {
  readonly status: UserStatus | null
  readonly changed: boolean
}

async function unfollowOne(tx: Queries, reader: number, author: number): Promise<boolean> {
  const [row] = await tx.rows<Ended>(unfollow, [reader, author])
  mayWrite(reader, row?.status)
  return row?.changed ?? false
}

export function follows(db: Database, max: Maxima): Pick<RelationStore, 'follow' | 'unfollow'> {
  function change<T>(
    name: string,
    [reader, author]: readonly [number, number],
    key: IdempotencyKey | undefined,
    work: (tx: Queries) => Promise<T>
  ): Promise<Written<T>> {
    const locks = [readerLock(reader), pairLock(reader, author)]
    return write(db, { name, key, locks }, work)
  }
  return {
    follow: (reader, author, key) =>
      change('follow', [reader, author], key, tx => followOne(tx, reader, author, max)),
    unfollow: (reader, author, key) =>
      change('unfollow', [reader, author], key, tx => unfollowOne(tx, reader, author))
  }
}
