import type { PostId } from '../../../domain/post-id.ts'
import type { IdempotencyKey, KeyStore, OpenKey } from '../../../ports/store.ts'
import type { Context } from './context.ts'
import type { Tables } from './tables.ts'
import { findKey, keyName, type Transaction } from './transactions.ts'

function open(context: Context, tx: Transaction, key: IdempotencyKey): OpenKey {
  const { tables } = context
  const found = findKey(tables, key, tx.now)
  if (found !== undefined) return { opened: String(found.madeAt), outcome: found.outcome }
  const row = { hash: key.hash, outcome: null, about: null, madeAt: tx.now }
  tx.change(() => tables.keys.set(keyName(key), row))
  return { opened: String(tx.now), outcome: null }
}

function close<T>(context: Context, tx: Transaction, key: IdempotencyKey, value: T): T {
  const { tables } = context
  const row = findKey(tables, key, tx.now)
  if (row === undefined) return value
  if (row.outcome !== null) return row.outcome.value as T
  tx.change(() => tables.keys.set(keyName(key), { ...row, outcome: { value } }))
  return value
}

export function keys(context: Context): KeyStore {
  const { tables, transactions, clock } = context
  const locks = (key: IdempotencyKey) => [`key ${keyName(key)}`]
  return {
    isDone: async key => Boolean(findKey(tables, key, clock.now())?.outcome),
    openKey: key => transactions.run(locks(key), tx => open(context, tx, key)),
    closeKey: (key, value) => transactions.run(locks(key), tx => close(context, tx, key, value))
  }
}

/** Names of the keys that keep words of a post or a user. */
export function keysAbout({ keys }: Tables, about: PostId | number): string[] {
  return [...keys].filter(([, row]) => row.about === about).map(([name]) => name)
}
