import type { Cut, Relation, RelationStore } from '../../../ports/store.ts'
import type { Context } from './context.ts'
import { pairLock } from './relations.ts'
import { putCut, type Tables } from './tables.ts'
import type { Transaction } from './transactions.ts'

/** The first sight of an unfollow counts, not its repeats. */
function stamp({ tables }: Context, tx: Transaction, { reader, author }: Relation): void {
  const cut = tables.cuts.get(reader)?.get(author)
  if (cut === undefined || cut.seenAt !== null) return
  tx.change(() => putCut(tables, reader, author, { ...cut, seenAt: tx.now }))
}

function ripe({ cuts }: Tables, seenBy: number): Cut[] {
  const rows = [...cuts].flatMap(([reader, byAuthor]) =>
    [...byAuthor].map(([author, cut]) => ({ reader, author, ...cut }))
  )
  return rows
    .filter(({ seenAt }) => seenAt !== null && seenAt <= seenBy)
    .sort((a, b) => (a.seenAt ?? 0) - (b.seenAt ?? 0))
    .map(({ reader, author, version }) => ({ reader, author, version }))
}

export function cuts(
  context: Context
): Pick<RelationStore, 'stampCuts' | 'ripeCuts' | 'removeCut'> {
  const { tables, transactions, clock } = context
  return {
    stampCuts: pairs =>
      transactions.run(
        pairs.map(({ reader, author }) => pairLock(reader, author)),
        tx => {
          for (const pair of pairs) stamp(context, tx, pair)
        }
      ),

    ripeCuts: async (ageMs, limit) => ripe(tables, clock.now() - ageMs).slice(0, limit),

    removeCut: ({ reader, author, version }) =>
      transactions.run([pairLock(reader, author)], tx => {
        if (tables.cuts.get(reader)?.get(author)?.version !== version) return false
        tx.change(() => putCut(tables, reader, author, null))
        tx.emit({ type: 'rules', reader })
        return true
      })
  }
}
