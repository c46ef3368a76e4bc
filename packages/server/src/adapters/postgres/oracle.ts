import { BEGINNING, type PostId } from '../../domain/post-id.ts'
import type { AuditStore } from '../../ports/store.ts'
import { type Database, statement } from './pool.ts'
import { bound } from './rows.ts'

/** A private author needs no line: `follows` holds accepted followers alone. */
const oracle = statement(
  'oracle',
  `select p.id::text as id
   from posts p
   join users a on a.number = p.author
   where p.id < $2 and p.id > $4
     and p.deleted_at is null
     and a.status = 'active'
     and (p.author = $1 or p.author in (select followee from follows where follower = $1))
     and (p.author = $1 or p.author not in (select author from mutes where reader = $1))
     and (p.author = $1 or p.author not in (select author from blocks where reader = $1))
     and (p.author = $1 or p.author not in (select reader from blocks where author = $1))
     and p.id not in (select post from hides where reader = $1)
   order by p.id desc
   limit $3`
)

/** Users are looked at from these many random places on, this many from each. */
const PLACES = 20
const FROM_EACH = 500

const sample = statement(
  'sample_readers',
  `with places as materialized (
     select floor((n + random()) * (select max(number) from users) / ${PLACES})::bigint as behind
     from generate_series(0, ${PLACES - 1}) n
   ), near as (
     select distinct u.number, u.status, u.last_seen_at from places
     cross join lateral (
       select number, status, last_seen_at from users where number > places.behind
       order by number limit ${FROM_EACH}) u
   )
   select number from near
   where status = 'active' and last_seen_at > now() - $1 * interval '1 ms'
   order by random() limit $2`
)

export function audit(db: Database): Pick<AuditStore, 'oracle' | 'sampleReaders'> {
  return {
    async oracle(reader, below, limit, above = BEGINNING) {
      const values = [reader, bound(below), limit, bound(above)]
      const rows = await db.rows<{ id: PostId }>(oracle, values)
      return rows.map(row => row.id)
    },
    async sampleReaders(ageMs, limit) {
      const rows = await db.rows<{ number: string }>(sample, [ageMs, limit])
      return rows.map(row => Number(row.number))
    }
  }
}
