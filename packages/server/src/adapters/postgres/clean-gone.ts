import { emit, postEvent, relationEvent, rulesEvent } from './emit.ts'
import { type Database, type Queries, statement } from './pool.ts'

/**
 * A write that was under way when its user went may land after the first cleaning: a user counts
 * as cleaned when nothing is found this long after they went. No statement takes that long.
 */
const SETTLED = "interval '1 minute'"

const users = statement(
  'clean_users',
  `select number, gone_at <= now() - ${SETTLED} as settled from users
   where status = 'gone' and cleaned_at is null
   order by gone_at limit 100 for no key update skip locked`
)

const done = statement('clean_done', 'update users set cleaned_at = now() where number = $1')

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

async function cleanUser(tx: Queries, user: string, limit: number): Promise<number> {
  let cleaned = 0
  for (const step of [posts, following, followers, likes]) {
    if (cleaned >= limit) break
    const [row] = await tx.rows<{ count: number }>(step, [user, limit - cleaned])
    cleaned += row?.count ?? 0
  }
  return cleaned
}

async function clean(tx: Queries, limit: number): Promise<number> {
  let cleaned = 0
  for (const { number, settled } of await tx.rows<{ number: string; settled: boolean }>(users)) {
    if (cleaned >= limit) break
    const found = await cleanUser(tx, number, limit - cleaned)
    if (found === 0 && settled) await tx.rows(done, [number])
    cleaned += found
  }
  return cleaned
}

export async function cleanGone(db: Database, limit: number): Promise<number> {
  const cleaned = await db.transaction('clean_gone', [], tx => clean(tx, limit))
  if (cleaned > 0) db.wake()
  return cleaned
}
