import { shardOf } from '../../domain/post-id.ts'
import type { RecountStore } from '../../ports/store.ts'
import { type Database, statement } from './pool.ts'

/**
 * A row and its delta are written together, so one snapshot tells what is displayed when all is right: the rows less the
 * deltas that wait. It is written only if the count is still the one of the snapshot: a flush that came between has
 * moved deltas that the snapshot saw waiting, and the next round looks again.
 */
const likes = statement(
  'recount_likes',
  `with batch as materialized (
     select shard, id from posts where (shard, id) > ($1::smallint, $2::bigint)
     order by shard, id limit $3
   ), waiting as materialized (
     select post, sum(delta) as likes from like_deltas group by post
   ), counted as materialized (
     select b.shard, b.id as post, c.likes as shown,
       (select count(*) from likes l where l.post = b.id) - coalesce(w.likes, 0) as likes
     from batch b left join waiting w on w.post = b.id
     left join post_counts c on c.shard = b.shard and c.post = b.id
   ), changed as (
     update post_counts c set likes = d.likes from counted d
     where c.shard = d.shard and c.post = d.post and c.likes = d.shown and d.likes <> d.shown
     returning c.post
   ), added as (
     insert into post_counts (shard, post, likes)
     select shard, post, likes from counted where shown is null and likes <> 0
     order by post on conflict do nothing returning post
   )
   select (select count(*) from changed)::int + (select count(*) from added)::int as corrected,
     (select count(*) from batch)::int as looked,
     (select id::text from batch order by shard desc, id desc limit 1) as last`
)

const users = statement(
  'recount_users',
  `with batch as materialized (
     select number, followers_count, following_count, posts_count from users where number > $1
     order by number limit $2
   ), waiting as materialized (
     select user_number, sum(followers) as followers, sum(following) as following,
       sum(posts) as posts
     from user_deltas group by user_number
   ), counted as materialized (
     select b.*,
       (select count(*) from followers f where f.followee = b.number)
         - coalesce(w.followers, 0) as followers,
       (select count(*) from follows f where f.follower = b.number)
         - coalesce(w.following, 0) as following,
       (select count(*) from posts p where p.author = b.number and p.deleted_at is null)
         - coalesce(w.posts, 0) as posts
     from batch b left join waiting w on w.user_number = b.number
   ), changed as (
     update users u set followers_count = d.followers, following_count = d.following,
       posts_count = d.posts
     from counted d
     where u.number = d.number
       and (u.followers_count, u.following_count, u.posts_count)
         = (d.followers_count, d.following_count, d.posts_count)
       and (d.followers, d.following, d.posts)
         <> (d.followers_count, d.following_count, d.posts_count)
     returning u.number
   )
   select (select count(*) from changed)::int as corrected,
     (select count(*) from batch)::int as looked, (select max(number) from batch) as last`
)

interface Row {
  readonly corrected: number
  readonly looked: number
  readonly last: string | null
}

export function recounts(db: Database): RecountStore {
  const step = async (of: typeof likes, values: readonly unknown[], limit: number) => {
    const [row] = await db.rows<Row>(of, [...values, limit])
    const { corrected = 0, looked = 0, last = null } = row ?? {}
    return { corrected, next: looked < limit ? null : last }
  }
  return {
    recountLikes: (after, limit) => step(likes, [shardOf(after), after], limit),
    async recountUsers(after, limit) {
      const { corrected, next } = await step(users, [after], limit)
      return { corrected, next: next === null ? null : Number(next) }
    }
  }
}
