import type { Relation } from '../../../ports/store.ts'
import type { Context } from './context.ts'
import { beginFollow, pairLock, readerLock, tell } from './relations.ts'
import type { Tables } from './tables.ts'
import type { Transaction } from './transactions.ts'
import { lock as userLock } from './users.ts'

function isThere({ users }: Tables, user: number): boolean {
  return (users.get(user)?.status ?? 'gone') !== 'gone'
}

/** Requests up to `until`, the oldest first. */
function asked(tables: Tables, author: number, until: number): Relation[] {
  if (!isThere(tables, author)) return []
  return [...tables.requests.to(author)]
    .filter(([reader, seq]) => seq <= until && isThere(tables, reader))
    .sort(([, a], [, b]) => a - b)
    .map(([reader]) => ({ reader, author }))
}

/** They are looked at again under their locks. */
function acceptAll(context: Context, tx: Transaction, pairs: readonly Relation[]): Relation[] {
  const { tables } = context
  const stand = pairs.filter(({ reader, author }) => {
    const seq = tables.requests.to(author).get(reader)
    return seq !== undefined && seq <= (tables.openings.get(author) ?? 0)
  })
  for (const pair of stand) {
    beginFollow(context, tx, pair)
    tell(tx, pair)
  }
  return stand
}

function finish({ tables }: Context, tx: Transaction, author: number): void {
  const until = tables.openings.get(author)
  if (until === undefined || asked(tables, author, until).length > 0) return
  tx.change(() => tables.openings.delete(author))
}

export async function acceptOpened(
  context: Context,
  limit: number,
  author?: number
): Promise<readonly Relation[]> {
  const { tables, transactions } = context
  const open = [...tables.openings].filter(([of]) => author === undefined || of === author)
  const pairs = open.flatMap(([of, until]) => asked(tables, of, until)).slice(0, limit)
  const locks = pairs.flatMap(({ reader, author }) => [
    readerLock(reader),
    pairLock(reader, author)
  ])
  const added = await transactions.run(locks, tx => acceptAll(context, tx, pairs))
  for (const [of] of open) {
    const row = userLock(tables.users.get(of)?.id ?? '')
    await transactions.run([row], tx => finish(context, tx, of))
  }
  return added
}
