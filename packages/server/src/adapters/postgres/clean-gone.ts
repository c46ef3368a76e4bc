import { emit, postEvent, relationEvent, rulesEvent } from './emit.ts'
import { type Database, type Queries, type Statement, statement } from './pool.ts'
import { WITHOUT_WORDS } from './words.ts'

/**
 * A write that was under way when its user went may land after the first cleaning: a user is looked at again, and done
 * when nothing is found this long after they went. No statement takes that long. Meanwhile others come first.
 */
const SETTLED = "interval '1 minute'"

const users = statement(
  'clean_users',
  `select number from users
   where status = 'gone' and (cleaned_at is null or cleaned_at - gone_at < ${SETTLED})
     and (cleaned_at is null or gone_at <= now() - ${SETTLED})
   order by gone_at limit 100 for no key update skip locked`
)

const done = statement(
  'clean_done',
  'update users set cleaned_at = now() where number = any($1::bigint[])'
)

const posts = statement(
  'clean_posts',
  `with chosen as (
     select author, id from posts where author = $1 and deleted_at is null
     order by id desc limit $2
   ), deleted as (
     update posts p set content = '', attrs = '{}', deleted_at = now() from chosen c
     where p.shard = shard_of_author($1) and p.id = c.id and p.deleted_at is null
     returning p.author, p.id
   ), counted as (
     insert into user_deltas (user_number, posts)
     select author, -count(*) from deleted group by author
   ), events as (${emit(`select ${postEvent('delete', 'author', 'id')} from deleted`)})
   select count(*)::int as count from deleted`
)

/** No cut: the posts of an author who is gone are hidden as it is. */
function edges(name: string, chosen: string): ReturnType<typeof statement> {
  return statement(
    name,
    `with chosen as (${chosen}), removed as (
       delete from follows f using chosen c
       where f.follower = c.follower and f.followee = c.followee
       returning f.follower, f.followee
     ), unlisted as (
       delete from followers l using removed r
       where l.followee = r.followee and l.follower = r.follower
     ), counted as (
       insert into user_deltas (user_number, followers, following)
       select followee, -count(*), 0 from removed group by followee
       union all select follower, 0, -count(*) from removed group by follower
     ), events as (
       ${emit(`select ${relationEvent('followee', 'follower')} from removed
         union all select ${rulesEvent('follower')} from (select distinct follower from removed) r`)}
     )
     select count(*)::int as count from removed`
  )
}

const following = edges(
  'clean_following',
  'select follower, followee from follows where follower = $1 limit $2'
)

const followers = edges(
  'clean_followers',
  'select follower, followee from followers where followee = $1 limit $2'
)

const likes = statement(
  'clean_likes',
  `with chosen as (
     select user_number, post from likes where user_number = $1 limit $2
   ), removed as (
     delete from likes l using chosen c
     where l.user_number = c.user_number and l.post = c.post returning l.post
   ), counted as (insert into like_deltas (post, delta) select post, -1 from removed)
   select count(*)::int as count from removed`
)

/** Words in what keys keep of the user's own requests, and of what others asked for about them. */
const words = statement(
  'clean_words',
  `with chosen as (
     select owner, key from idempotency_keys where owner = $1 and about is not null
     union select owner, key from idempotency_keys where about = $1 limit $2
   ), blanked as (
     update idempotency_keys k set outcome = ${WITHOUT_WORDS}, about = null from chosen c
     where k.owner = c.owner and k.key = c.key returning 1
   )
   select count(*)::int as count from blanked`
)

/** No events: who is gone reads nothing and is hidden as it is, so that cached rules do no harm. */
function rows(
  table: 'blocks' | 'mutes' | 'hides' | 'cuts' | 'follow_requests',
  column: 'reader' | 'author' | 'follower' | 'followee'
) {
  return statement(
    `clean_${table}_${column}`,
    `with removed as (
       delete from ${table} where ctid = any(array(
         select ctid from ${table} where ${column} = $1 limit $2)) returning 1
     )
     select count(*)::int as count from removed`
  )
}

const steps: readonly Statement[] = [
  ...[posts, following, followers, likes, words],
  ...[rows('blocks', 'reader'), rows('blocks', 'author')],
  ...[rows('mutes', 'reader'), rows('mutes', 'author')],
  ...[rows('hides', 'reader'), rows('cuts', 'reader')],
  ...[rows('follow_requests', 'follower'), rows('follow_requests', 'followee')]
]

async function cleanUser(tx: Queries, user: string, limit: number): Promise<number> {
  let cleaned = 0
  for (const step of steps) {
    if (cleaned >= limit) break
    const [row] = await tx.rows<{ count: number }>(step, [user, limit - cleaned])
    cleaned += row?.count ?? 0
  }
  return cleaned
}

/** Returns how many rows went, and how many users have none left. */
async function clean(tx: Queries, limit: number): Promise<{ cleaned: number; done: number }> {
  const found = await tx.rows<{ number: string }>(users)
  let cleaned = 0
  const empty: string[] = []
  for (const { number } of found) {
    const left = limit - cleaned
    if (left <= 0) break
    const removed = await cleanUser(tx, number, left)
    if (removed < left) empty.push(number)
    cleaned += removed
  }
  if (empty.length > 0) await tx.rows(done, [empty])
  return { cleaned, done: empty.length }
}

export async function cleanGone(db: Database, limit: number): Promise<number> {
  const { cleaned, done } = await db.transaction('clean_gone', [], tx => clean(tx, limit))
  if (cleaned > 0) db.wake()
  return cleaned + done
}
