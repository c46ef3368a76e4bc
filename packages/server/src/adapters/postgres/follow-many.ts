import type { Relation, RelationStore } from '../../ports/store.ts'
import { emit, relationEvent, rulesEvent } from './emit.ts'
import { begun } from './follow.ts'
import { FOLLOW_MANY_LOCK, pairLock, readerLock } from './locks.ts'
import { type Database, statement } from './pool.ts'

/**
 * Pairs that are blocked, there already, over the follower's limit ($3), or whose users may not or
 * cannot be followed are left out.
 */
const followMany = statement(
  'follow_many',
  `with given as (
     select follower, followee, min(place) as place
     from unnest($1::bigint[], $2::bigint[]) with ordinality g (follower, followee, place)
     where follower <> followee group by follower, followee
   ), fits as (
     select g.follower, g.followee, g.place,
       row_number() over (partition by g.follower order by g.place) as nth
     from given g
     join users r on r.number = g.follower and r.status = 'active'
     join users a on a.number = g.followee and a.status <> 'gone'
     where not exists (select from follows f
         where f.follower = g.follower and f.followee = g.followee)
       and not exists (select from blocks b where b.reader = g.follower and b.author = g.followee)
       and not exists (select from blocks b where b.reader = g.followee and b.author = g.follower)
   ), had as materialized (
     select follower, (
       select count(*) from (select from follows f where f.follower = g.follower limit $3) c
     ) + (
       select count(*) from follow_requests q where q.follower = g.follower
         and not exists (select from fits f where f.follower = q.follower and f.followee = q.followee)
     ) as had
     from (select distinct follower from fits) g
   ), added as (
     insert into follows (follower, followee)
     select follower, followee from fits join had using (follower)
     where had + nth <= $3 order by place
     returning follower, followee, seq
   ), ${begun('added')}, events as (
     ${emit(`select * from (select ${relationEvent('followee', 'follower')} from added order by seq) r
       union all select ${rulesEvent('follower')} from (select distinct follower from added) f`)}
   )
   select follower, followee from added order by seq`
)

interface Row {
  readonly follower: string
  readonly followee: string
}

export function toRelation(row: Row): Relation {
  return { reader: Number(row.follower), author: Number(row.followee) }
}

export function followsMany(db: Database, followsMax: number): Pick<RelationStore, 'followMany'> {
  return {
    async followMany(pairs: readonly Relation[]) {
      if (pairs.length === 0) return []
      const locks = pairs.flatMap(({ reader, author }) => [
        readerLock(reader),
        pairLock(reader, author)
      ])
      const rows = await db.transaction(
        'follow_many',
        [{ space: FOLLOW_MANY_LOCK, number: 0 }, ...locks],
        tx =>
          tx.rows<Row>(followMany, [
            pairs.map(pair => pair.reader),
            pairs.map(pair => pair.author),
            followsMax
          ])
      )
      if (rows.length > 0) db.wake()
      return rows.map(toRelation)
    }
  }
}
