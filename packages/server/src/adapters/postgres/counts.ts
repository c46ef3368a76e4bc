import type { LikeStore } from '../../ports/store.ts'
import { FLUSH_LOCK } from './locks.ts'
import { type Database, type Queries, statement } from './pool.ts'

/** Removing the deltas and adding them up is one statement: a delta counts exactly once. */
const flushLikes = statement(
  'flush_likes',
  `with taken as (
     delete from like_deltas
     where id = any(array(select id from like_deltas order by id limit $1))
     returning post, delta
   ), moved as (
     insert into post_counts as c (shard, post, likes)
     select ((post >> 12) & 511)::smallint, post, sum(delta) from taken
     group by post order by post
     on conflict (shard, post) do update set likes = c.likes + excluded.likes
   )
   select count(*)::int as moved from taken`
)

/** Rows are held in the order of their numbers, as by all who hold many: nobody waits in a circle. */
const flushUsers = statement(
  'flush_users',
  `with taken as (
     delete from user_deltas
     where id = any(array(select id from user_deltas order by id limit $1))
     returning user_number, followers, following, posts
   ), sums as (
     select user_number, sum(followers) as followers, sum(following) as following,
       sum(posts) as posts
     from taken group by user_number
   ), held as (
     select s.* from sums s join users u on u.number = s.user_number
     order by u.number for no key update of u
   ), moved as (
     update users u set followers_count = u.followers_count + s.followers,
       following_count = u.following_count + s.following,
       posts_count = u.posts_count + s.posts
     from held s where u.number = s.user_number
   )
   select count(*)::int as moved from taken`
)

async function flush(tx: Queries, limit: number): Promise<number> {
  const [likes] = await tx.rows<{ moved: number }>(flushLikes, [limit])
  const [users] = await tx.rows<{ moved: number }>(flushUsers, [limit])
  return (likes?.moved ?? 0) + (users?.moved ?? 0)
}

/** Flushers take turns: one that finds nothing knows that nothing was pending when it began. */
export function counts(db: Database): Pick<LikeStore, 'flushCounts'> {
  const locks = [{ space: FLUSH_LOCK, number: 0 }]
  return {
    flushCounts: limit => db.transaction('flush_counts', locks, tx => flush(tx, limit))
  }
}
