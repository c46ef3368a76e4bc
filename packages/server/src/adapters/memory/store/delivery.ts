import { BEGINNING, type PostId } from '../../../domain/post-id.ts'
import type { Delivery } from '../../../domain/user.ts'
import type { DeliveryState, DeliveryStore } from '../../../ports/store.ts'
import type { Context } from './context.ts'
import type { DeliveryRow, Tables } from './tables.ts'
import type { Transaction } from './transactions.ts'

const FIRST: DeliveryRow = { delivery: 'push', version: 1, pullUntil: BEGINNING }

function stateOf({ delivery }: Tables, author: number): DeliveryState {
  const { delivery: now, version } = delivery.get(author) ?? FIRST
  return { author, delivery: now, version }
}

/** The numbers of followers are the displayed ones. */
function crosses({ userCounts }: Tables, state: DeliveryState, threshold: number, lower: number) {
  const followers = userCounts.get(state.author)?.followers ?? 0
  return state.delivery === 'push' ? followers >= threshold : followers < lower
}

function switchTo(
  { tables }: Context,
  tx: Transaction,
  [from, to, until]: readonly [DeliveryState, Delivery, PostId]
): boolean {
  const now = tables.delivery.get(from.author) ?? FIRST
  if (!tables.users.has(from.author)) return false
  if (now.delivery !== from.delivery || now.version !== from.version) return false
  const longer = to === 'push' && BigInt(until) > BigInt(now.pullUntil)
  const pullUntil = longer ? until : now.pullUntil
  const row = { delivery: to, version: now.version + 1, pullUntil }
  tx.change(() => tables.delivery.set(from.author, row))
  return true
}

export function delivery(context: Context): DeliveryStore {
  const { tables, transactions } = context
  const all = () => [...tables.users.keys()].map(author => stateOf(tables, author))
  return {
    deliveryOf: async authors =>
      [...new Set(authors)]
        .filter(author => tables.users.has(author))
        .map(author => stateOf(tables, author)),

    deliveryCrossings: async (threshold, lower, limit) =>
      all()
        .filter(state => crosses(tables, state, threshold, lower))
        .slice(0, limit),

    inBoth: async limit =>
      all()
        .filter(state => state.delivery === 'both')
        .slice(0, limit),

    switchDelivery: (from, to, until = BEGINNING) =>
      transactions.run([`delivery ${from.author}`], tx => switchTo(context, tx, [from, to, until]))
  }
}
