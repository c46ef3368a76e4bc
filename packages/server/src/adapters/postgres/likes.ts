import { isPostId, type PostId, shardOf } from '../../domain/post-id.ts'
import { unknownPost } from '../../domain/unknown.ts'
import type { UserStatus } from '../../domain/user.ts'
import type { LikedMany, LikeStore } from '../../ports/store.ts'
import { changedPost } from './hides.ts'
import { write } from './idempotency.ts'
import { type Database, type Queries, statement } from './pool.ts'

const like = statement(
  'like',
  `with facts as (
     select (select status from users where number = $1) as status,
       exists (select from posts where shard = $3 and id = $2 and deleted_at is null) as there
   ), added as (
     insert into likes (user_number, post) select $1, $2 from facts
     where status = 'active' and there on conflict do nothing returning post
   ), counted as (insert into like_deltas (post, delta) select post, 1 from added)
   select facts.*, exists (select from added) as changed from facts`
)

const unlike = statement(
  'unlike',
  `with facts as (
     select (select status from users where number = $1) as status, true as there
   ), removed as (
     delete from likes using facts where user_number = $1 and post = $2 and facts.status = 'active'
     returning post
   ), counted as (insert into like_deltas (post, delta) select post, -1 from removed)
   select facts.*, exists (select from removed) as changed from facts`
)

/** In one order, so that two batches never wait for each other in a circle. */
const likeMany = statement(
  'like_many',
  `with given as (
     select distinct user_number, post, shard
     from unnest($1::bigint[], $2::bigint[], $3::smallint[]) g (user_number, post, shard)
   ), fits as materialized (
     select g.user_number, g.post from given g
     join users u on u.number = g.user_number and u.status = 'active'
     join posts p on p.shard = g.shard and p.id = g.post and p.deleted_at is null
     join users a on a.number = p.author and a.status = 'active'
     where (a.visibility = 'public' or a.number = u.number or exists (
         select from follows f where f.follower = u.number and f.followee = a.number))
       and not exists (select from blocks b where b.reader = u.number and b.author = a.number)
       and not exists (select from blocks b where b.reader = a.number and b.author = u.number)
   ), added as (
     insert into likes (user_number, post) select user_number, post from fits order by 1, 2
     on conflict do nothing returning post
   ), counted as (
     insert into like_deltas (post, delta) select post, count(*) from added group by post
   )
   select (select count(*) from added)::int as added,
     (select count(*) from given)::int - (select count(*) from fits)::int as skipped`
)

const likedBy = statement(
  'liked_by',
  `select post::text as post from likes where user_number = $1 and post = any($2::bigint[])`
)

const counts = statement(
  'like_counts',
  `select c.post::text as post, greatest(c.likes, 0) as likes
   from unnest($1::smallint[], $2::bigint[]) w (shard, post)
   join post_counts c on c.shard = w.shard and c.post = w.post`
)

interface Row {
  readonly status: UserStatus | null
  readonly there: boolean
  readonly changed: boolean
}

export function likes(db: Database): Omit<LikeStore, 'flushCounts'> {
  async function add(tx: Queries, user: number, post: PostId): Promise<boolean> {
    if (!isPostId(post)) throw unknownPost(post)
    return changedPost((await tx.rows<Row>(like, [user, post, shardOf(post)]))[0], user, post)
  }
  async function remove(tx: Queries, user: number, post: PostId): Promise<boolean> {
    if (!isPostId(post)) return false
    return changedPost((await tx.rows<Row>(unlike, [user, post]))[0], user, post)
  }
  return {
    like: (user, post, key) =>
      write(db, { name: 'like', key, silent: true }, tx => add(tx, user, post)),

    unlike: (user, post, key) =>
      write(db, { name: 'unlike', key, silent: true }, tx => remove(tx, user, post)),

    async likeMany(given) {
      const fit = given.filter(({ post }) => isPostId(post))
      const [row] = await db.rows<LikedMany>(likeMany, [
        fit.map(({ user }) => user),
        fit.map(({ post }) => post),
        fit.map(({ post }) => shardOf(post))
      ])
      const { added = 0, skipped = 0 } = row ?? {}
      return { added, skipped: skipped + given.length - fit.length }
    },

    async likedBy(user, posts) {
      const values = [user, posts.filter(isPostId)]
      return (await db.rows<{ post: PostId }>(likedBy, values)).map(row => row.post)
    },

    async likeCounts(posts) {
      const wanted = [...new Set(posts)].filter(isPostId)
      const values = [wanted.map(shardOf), wanted]
      const rows = await db.rows<{ post: PostId; likes: string }>(counts, values)
      return new Map(rows.map(row => [row.post, Number(row.likes)]))
    }
  }
}
