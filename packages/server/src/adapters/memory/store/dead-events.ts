import type { OutboxStore } from '../../../ports/store.ts'
import type { Context } from './context.ts'

type DeadStore = Pick<OutboxStore, 'bury' | 'deadEvents' | 'retryDead' | 'dropDead'>

/** Events that were given up. */
export function deadEvents({ tables, transactions, clock }: Context): DeadStore {
  const { outbox, published, dead } = tables
  return {
    async bury({ id }, reason) {
      const row = outbox.get(Number(id)) ?? published.get(Number(id))
      if (row === undefined) return
      const { seq, lane, event, attempts } = row
      outbox.delete(seq)
      published.delete(seq)
      const diedAt = clock.now()
      dead.set(seq, { seq, lane, event, attempts: attempts + 1, reason, diedAt })
    },

    async deadEvents(after, limit) {
      return [...dead.values()]
        .filter(({ seq }) => seq > Number(after))
        .sort((a, b) => a.seq - b.seq)
        .slice(0, limit)
        .map(({ seq, ...row }) => ({ id: String(seq), ...row }))
    },

    retryDead: id =>
      transactions.run([`dead ${id}`], tx => {
        const row = dead.get(Number(id))
        if (row === undefined) return false
        tx.change(() => dead.delete(row.seq))
        tx.emit(row.event, row.attempts)
        return true
      }),

    dropDead: async id => dead.delete(Number(id))
  }
}
