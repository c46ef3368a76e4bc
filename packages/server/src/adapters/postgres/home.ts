import type { PostId } from '../../domain/post-id.ts'
import type { PostStore } from '../../ports/store.ts'
import { type Database, statement } from './pool.ts'
import { bound, STATUSES } from './rows.ts'

/**
 * One index probe finds each author's newest post; only the authors of the `limit` newest of these
 * can stand among the `limit` newest posts, and only they are read on.
 */
const homeIds = statement(
  'home_ids',
  `with authors as (
     select u.number from follows f join users u on u.number = f.followee
     where f.follower = $1 and f.followee <> $1 and u.status = any($4::text[])
     union all
     select number from users where number = $1 and status = any($4::text[])
   ), newest as (
     select a.number from authors a cross join lateral (
       select p.id from posts p
       where p.author = a.number and p.deleted_at is null and p.id < $2
       order by p.id desc limit 1
     ) head
     order by head.id desc limit $3
   )
   select post.id::text as id from newest n cross join lateral (
     select p.id from posts p
     where p.author = n.number and p.deleted_at is null and p.id < $2
     order by p.id desc limit $3
   ) post
   order by post.id desc limit $3`
)

/** The mirror image: each author's oldest post above the bound comes first. */
const newerHomeIds = statement(
  'newer_home_ids',
  `with authors as (
     select u.number from follows f join users u on u.number = f.followee
     where f.follower = $1 and f.followee <> $1 and u.status = any($4::text[])
     union all
     select number from users where number = $1 and status = any($4::text[])
   ), oldest as (
     select a.number from authors a cross join lateral (
       select p.id from posts p
       where p.author = a.number and p.deleted_at is null and p.id > $2
       order by p.id limit 1
     ) head
     order by head.id limit $3
   )
   select post.id::text as id from oldest o cross join lateral (
     select p.id from posts p
     where p.author = o.number and p.deleted_at is null and p.id > $2
     order by p.id limit $3
   ) post
   order by post.id limit $3`
)

export function home(db: Database): Pick<PostStore, 'homeIds' | 'newerHomeIds'> {
  return {
    async homeIds(reader, below, limit, extent = 'shown') {
      const rows = await db.rows<{ id: PostId }>(homeIds, [
        reader,
        bound(below),
        limit,
        STATUSES[extent]
      ])
      return rows.map(row => row.id)
    },

    async newerHomeIds(reader, above, limit) {
      const values = [reader, bound(above), limit, STATUSES.shown]
      return (await db.rows<{ id: PostId }>(newerHomeIds, values)).map(row => row.id)
    }
  }
}
