import { DAY_MS } from '../../../domain/limits.ts'
import type { UpkeepStore } from '../../../ports/store.ts'
import { cleanGone } from './clean-gone.ts'
import type { Context } from './context.ts'
import type { Tables } from './tables.ts'
import { KEY_MS, type Transaction } from './transactions.ts'

/** How long outbox rows that are done, and the ledger, are kept. */
const KEPT_MS = 7 * DAY_MS

function expire(tables: Tables, tx: Transaction, limit: number): number {
  const { keys, published } = tables
  tables.ledger = tables.ledger.filter(({ at }) => tx.now - at < KEPT_MS)
  for (const { seq, at } of published.values()) if (tx.now - at >= KEPT_MS) published.delete(seq)
  const old = [...keys].filter(([, { madeAt }]) => tx.now - madeAt >= KEY_MS).slice(0, limit)
  for (const [name, row] of old) {
    tx.change(() => {
      if (keys.get(name) === row) keys.delete(name)
    })
  }
  return old.length
}

export function upkeep(context: Context): UpkeepStore {
  const { tables, transactions } = context
  return {
    cleanGone: limit => cleanGone(context, limit),
    expire: limit => transactions.run([], tx => expire(tables, tx, limit)),
    epoch: async () => tables.epoch,

    raiseEpoch: () =>
      transactions.run(['epoch'], tx => {
        const raised = tables.epoch + 1
        tx.change(() => {
          tables.epoch = raised
        })
        return raised
      }),

    async stats() {
      const { users, posts, follows, likes, outbox, dead } = tables
      return {
        users: [...users.values()].filter(({ status }) => status !== 'gone').length,
        posts: [...posts.values()].filter(({ deleted }) => !deleted).length,
        follows: follows.size,
        likes: [...likes.values()].reduce((sum, liked) => sum + liked.size, 0),
        outboxPending: outbox.size,
        outboxDead: dead.size
      }
    },

    ping: async () => {}
  }
}
