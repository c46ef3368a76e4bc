import { type PostId, shardOf } from '../../domain/post-id.ts'
import type { RecountStore, WrongCount } from '../../ports/recount.ts'
import { type Database, statement } from './pool.ts'

/**
 * A row and its delta are written together, so one snapshot tells what is displayed when all is right: the rows less the
 * deltas that wait.
 */
const COUNTED_LIKES = `waiting as materialized (
     select post, sum(delta) as likes from like_deltas group by post
   ), counted as materialized (
     select b.shard, b.id as post, c.likes as shown,
       (select count(*) from likes l where l.post = b.id) - coalesce(w.likes, 0) as likes
     from batch b left join waiting w on w.post = b.id
     left join post_counts c on c.shard = b.shard and c.post = b.id
   )`

/**
 * A count is written only if it is still the one of the snapshot: a flush that came between has moved deltas that the
 * snapshot saw waiting, and the next round looks again.
 */
const CORRECTED_LIKES = `changed as (
     update post_counts c set likes = d.likes from counted d
     where c.shard = d.shard and c.post = d.post and c.likes = d.shown and d.likes <> d.shown
     returning c.post
   ), added as (
     insert into post_counts (shard, post, likes)
     select shard, post, likes from counted where shown is null and likes <> 0
     order by post on conflict do nothing returning post
   )`

const COUNTED_USERS = `waiting as materialized (
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
   )`

const CORRECTED_USERS = `changed as (
     update users u set followers_count = d.followers, following_count = d.following,
       posts_count = d.posts
     from counted d
     where u.number = d.number
       and (u.followers_count, u.following_count, u.posts_count)
         = (d.followers_count, d.following_count, d.posts_count)
       and (d.followers, d.following, d.posts)
         <> (d.followers_count, d.following_count, d.posts_count)
     returning u.number
   )`

const NEXT_POSTS = `batch as materialized (
     select shard, id from posts where (shard, id) > ($1::smallint, $2::bigint)
     order by shard, id limit $3
   )`

const THESE_POSTS = `batch as materialized (
     select shard, id from posts
     where (shard, id) in (select * from unnest($1::smallint[], $2::bigint[]))
   )`

const USER_COUNTS = 'number, followers_count, following_count, posts_count'

const NEXT_USERS = `batch as materialized (
     select ${USER_COUNTS} from users where number > $1 order by number limit $2
   )`

const THESE_USERS = `batch as materialized (
     select ${USER_COUNTS} from users where number = any($1::bigint[])
   )`

const likes = statement(
  'recount_likes',
  `with ${NEXT_POSTS}, ${COUNTED_LIKES}, ${CORRECTED_LIKES}
   select (select count(*) from changed)::int + (select count(*) from added)::int as corrected,
     (select count(*) from batch)::int as looked,
     (select id::text from batch order by shard desc, id desc limit 1) as last`
)

const users = statement(
  'recount_users',
  `with ${NEXT_USERS}, ${COUNTED_USERS}, ${CORRECTED_USERS}
   select (select count(*) from changed)::int as corrected,
     (select count(*) from batch)::int as looked, (select max(number) from batch) as last`
)

const theseLikes = statement(
  'recount_these_likes',
  `with ${THESE_POSTS}, ${COUNTED_LIKES}, ${CORRECTED_LIKES}
   select (select count(*) from changed)::int + (select count(*) from added)::int as corrected`
)

const theseUsers = statement(
  'recount_these_users',
  `with ${THESE_USERS}, ${COUNTED_USERS}, ${CORRECTED_USERS}
   select count(*)::int as corrected from changed`
)

const wrongLikes = statement(
  'wrong_likes',
  `with ${THESE_POSTS}, ${COUNTED_LIKES}
   select 'likes' as of, null as "user", post::text as post, coalesce(shown, 0) as shown,
     likes as counted
   from counted where likes <> coalesce(shown, 0)`
)

const wrongUsers = statement(
  'wrong_user_counts',
  `with ${THESE_USERS}, ${COUNTED_USERS}
   select v.of, number as "user", null as post, v.shown, v.counted
   from counted cross join lateral (values
     ('followers', followers_count, followers), ('following', following_count, following),
     ('posts', posts_count, posts)) v (of, shown, counted)
   where v.shown <> v.counted`
)

interface Row {
  readonly corrected: number
  readonly looked: number
  readonly last: string | null
}

interface WrongRow {
  readonly of: WrongCount['of']
  readonly user: string | null
  readonly post: PostId | null
  readonly shown: string
  readonly counted: string
}

function toWrong({ of, user, post, shown, counted }: WrongRow): WrongCount {
  const number = user === null ? null : Number(user)
  return { of, user: number, post, shown: Number(shown), counted: Number(counted) }
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
    },
    async recountThese(users, posts) {
      const ofUsers = await db.rows<Row>(theseUsers, [users])
      const ofPosts = await db.rows<Row>(theseLikes, [posts.map(shardOf), posts])
      return [...ofUsers, ...ofPosts].reduce((sum, { corrected }) => sum + corrected, 0)
    },
    async wrongCounts(users, posts) {
      const ofUsers = await db.rows<WrongRow>(wrongUsers, [users])
      const ofPosts = await db.rows<WrongRow>(wrongLikes, [posts.map(shardOf), posts])
      return [...ofUsers, ...ofPosts].map(toWrong)
    }
  }
}
