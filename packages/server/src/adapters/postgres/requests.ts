import { Problem } from '../../domain/errors.ts'
import type { UserStatus } from '../../domain/user.ts'
import type { IdempotencyKey, RequestStore, Written } from '../../ports/store.ts'
import { begun, type Ended, endSql, followEvents } from './follow.ts'
import { write } from './idempotency.ts'
import { pairLock, readerLock } from './locks.ts'
import { acceptOpened, openedPending } from './openings.ts'
import { type Database, type Queries, type Statement, statement } from './pool.ts'
import { mayWrite } from './rows.ts'

/** $1 asked to follow $2, who agrees. There is room for it: requests count towards the limit of follows. */
const accept = statement(
  'request_accept',
  `with facts as (
     select (select status from users where number = $2) as status,
       exists (select from follows where follower = $1 and followee = $2) as already
   ), asked as (
     select q.follower, q.followee from facts, follow_requests q
     join users r on r.number = q.follower and r.status = 'active'
     where q.follower = $1 and q.followee = $2 and facts.status = 'active'
   ), added as (
     insert into follows (follower, followee) select follower, followee from asked
     returning follower, followee, seq
   ), ${begun('added')}, events as (${followEvents('added')})
   select facts.*, exists (select from added) as added from facts`
)

const reject = statement(
  'request_reject',
  `with removed as (
     delete from follow_requests where follower = $1 and followee = $2
       and exists (select from users where number = $2 and status = 'active') returning follower
   )
   select (select status from users where number = $2) as status,
     exists (select from removed) as changed`
)

const remove = statement('follower_remove', endSql('$2', false))

interface Accepted {
  readonly status: UserStatus | null
  readonly already: boolean
  readonly added: boolean
}

/** @throws Problem request_not_found, account_suspended, account_gone */
async function acceptOne(tx: Queries, author: number, reader: number): Promise<boolean> {
  const [row] = await tx.rows<Accepted>(accept, [reader, author])
  mayWrite(author, row?.status)
  if (!row?.added && !row?.already) throw new Problem('request_not_found')
  return row.added
}

export function requests(db: Database): RequestStore {
  type Change = (author: number, reader: number, key?: IdempotencyKey) => Promise<Written<boolean>>
  const locks = (reader: number, author: number) => [readerLock(reader), pairLock(reader, author)]
  function ending(of: Statement): Change {
    return (author, reader, key) =>
      write(db, { name: of.name, key, locks: locks(reader, author) }, async tx => {
        const [row] = await tx.rows<Ended>(of, [reader, author])
        mayWrite(author, row?.status)
        return row?.changed ?? false
      })
  }
  return {
    acceptRequest: (author, reader, key) =>
      write(db, { name: accept.name, key, locks: locks(reader, author) }, tx =>
        acceptOne(tx, author, reader)
      ),
    rejectRequest: ending(reject),
    removeFollower: ending(remove),
    acceptOpened: (limit, author) => acceptOpened(db, limit, author),
    openedPending: () => openedPending(db)
  }
}
