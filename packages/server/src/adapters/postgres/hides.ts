import { isPostId, type PostId, shardOf } from '../../domain/post-id.ts'
import { unknownPost } from '../../domain/unknown.ts'
import type { UserStatus } from '../../domain/user.ts'
import type { RelationStore } from '../../ports/store.ts'
import { emit, rulesEvent } from './emit.ts'
import { write } from './idempotency.ts'
import { readerLock } from './locks.ts'
import { type Database, type Queries, statement } from './pool.ts'
import { mayWrite } from './rows.ts'
import { withinLimit } from './rules.ts'

const hide = statement(
  'hide',
  `with facts as (
     select (select status from users where number = $1) as status,
       exists (select from posts where shard = $3 and id = $2 and deleted_at is null) as there,
       exists (select from hides where reader = $1 and post = $2) as already,
       (select count(*) from (select from hides where reader = $1 limit $4) h) >= $4 as at_limit
   ), added as (
     insert into hides (reader, post) select $1, $2 from facts
     where status = 'active' and there and not already and not at_limit returning reader
   ), events as (${emit(`select ${rulesEvent('reader')} from added`)})
   select facts.*, exists (select from added) as changed from facts`
)

const unhide = statement(
  'unhide',
  `with facts as (
     select (select status from users where number = $1) as status, true as there
   ), removed as (
     delete from hides using facts where reader = $1 and post = $2 and facts.status = 'active'
     returning reader
   ), events as (${emit(`select ${rulesEvent('reader')} from removed`)})
   select facts.*, exists (select from removed) as changed from facts`
)

interface Row {
  readonly status: UserStatus | null
  readonly there: boolean
  readonly changed: boolean
  readonly already?: boolean
  readonly at_limit?: boolean
}

/** @throws Problem post_not_found, account_suspended, account_gone */
export function changedPost(row: Row | undefined, user: number, post: PostId): boolean {
  mayWrite(user, row?.status)
  if (!row?.there) throw unknownPost(post)
  return row.changed
}

export function hides(db: Database, rulesMax: number): Pick<RelationStore, 'hide' | 'unhide'> {
  async function add(tx: Queries, reader: number, post: PostId): Promise<boolean> {
    if (!isPostId(post)) throw unknownPost(post)
    const [row] = await tx.rows<Row>(hide, [reader, post, shardOf(post), rulesMax])
    const changed = changedPost(row, reader, post)
    withinLimit(row, 'hidden posts', rulesMax)
    return changed
  }
  async function remove(tx: Queries, reader: number, post: PostId): Promise<boolean> {
    if (!isPostId(post)) return false
    return changedPost((await tx.rows<Row>(unhide, [reader, post]))[0], reader, post)
  }
  return {
    hide: (reader, post, key) =>
      write(db, { name: 'hide', key, locks: [readerLock(reader)] }, tx => add(tx, reader, post)),
    unhide: (reader, post, key) =>
      write(db, { name: 'unhide', key }, tx => remove(tx, reader, post))
  }
}
