import { Problem } from '../../../domain/errors.ts'
import type { IdempotencyKey, Relation, RequestStore, Written } from '../../../ports/store.ts'
import { type Context, isActive, mayWrite } from './context.ts'
import { acceptOpened } from './openings.ts'
import { beginFollow, endFollow, pairLock, readerLock, tell, withdraw } from './relations.ts'
import type { Transaction } from './transactions.ts'

type Work = (context: Context, tx: Transaction, pair: Relation) => boolean

function accept(context: Context, tx: Transaction, pair: Relation): boolean {
  const { tables } = context
  const { reader, author } = pair
  if (tables.follows.has(reader, author)) return false
  if (!tables.requests.has(reader, author) || !isActive(tables, reader))
    throw new Problem('request_not_found')
  beginFollow(context, tx, pair)
  tell(tx, pair)
  return true
}

function remove(context: Context, tx: Transaction, pair: Relation): boolean {
  if (!context.tables.follows.has(pair.reader, pair.author)) return false
  endFollow(context, tx, pair)
  tell(tx, pair)
  return true
}

export function requests(context: Context): RequestStore {
  const { tables, transactions } = context
  function decide(work: Work) {
    return (author: number, reader: number, key?: IdempotencyKey): Promise<Written<boolean>> =>
      transactions.write(key, [readerLock(reader), pairLock(reader, author)], tx => {
        mayWrite(tables, author)
        return work(context, tx, { reader, author })
      })
  }
  return {
    acceptRequest: decide(accept),
    rejectRequest: decide(withdraw),
    removeFollower: decide(remove),
    acceptOpened: (limit, author) => acceptOpened(context, limit, author),
    openedPending: async () => context.tables.openings.size
  }
}
