import type { PostId } from '../../domain/post-id.ts'
import type { AuditStore } from '../../ports/store.ts'
import { type Database, statement } from './pool.ts'
import { bound } from './rows.ts'

/** A private author needs no line: `follows` holds accepted followers alone. */
const oracle = statement(
  'oracle',
  `select p.id::text as id
   from posts p
   join users a on a.number = p.author
   where p.id < $2
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

export function audit(db: Database): Pick<AuditStore, 'oracle'> {
  return {
    async oracle(reader, below, limit) {
      const rows = await db.rows<{ id: PostId }>(oracle, [reader, bound(below), limit])
      return rows.map(row => row.id)
    }
  }
}
