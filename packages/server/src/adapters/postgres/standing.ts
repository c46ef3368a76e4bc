import type { Delivery } from '../../domain/user.ts'
import type { AuditStore } from '../../ports/store.ts'
import { type Database, statement } from './pool.ts'

const standing = statement(
  'standing',
  `select exists (select from follows where follower = $1 and followee = $2) as follows,
     exists (select from follow_requests where follower = $1 and followee = $2) as requested,
     exists (select from blocks where reader = $1 and author = $2) as blocks,
     exists (select from blocks where reader = $2 and author = $1) as blocked,
     exists (select from mutes where reader = $1 and author = $2) as mutes,
     exists (select from cuts where reader = $1 and author = $2) as cut,
     exists (select from hides where reader = $1 and post = $3) as hides,
     u.delivery, u.pull_until::text as pull_until
   from users u where u.number = $2`
)

interface Row {
  readonly follows: boolean
  readonly requested: boolean
  readonly blocks: boolean
  readonly blocked: boolean
  readonly mutes: boolean
  readonly cut: boolean
  readonly hides: boolean
  readonly delivery: Delivery
  readonly pull_until: string
}

export function standings(db: Database): Pick<AuditStore, 'standing'> {
  return {
    async standing(reader, author, post) {
      const [row] = await db.rows<Row>(standing, [reader, author, post])
      if (row === undefined) return null
      const { pull_until: pullUntil, ...rest } = row
      return { ...rest, pullUntil }
    }
  }
}
