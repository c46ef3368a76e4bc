import type { Post } from '../../../domain/post.ts'
import type { PostId } from '../../../domain/post-id.ts'
import type { User } from '../../../domain/user.ts'
import type { IdempotencyKey, KeyStore, OpenKey, Published } from '../../../ports/store.ts'
import type { Context } from './context.ts'
import type { KeyRow, Tables } from './tables.ts'
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

const NO_TEXT = { content: '', attrs: {} }
const NO_PROFILE = { name: null, avatar: null, attributes: {} }

function isPublished(value: unknown): value is Published {
  return typeof value === 'object' && value !== null && 'post' in value
}

/** What a key keeps of a post, without its words. */
export function withoutText(row: KeyRow): KeyRow {
  const value = row.outcome?.value
  const blank = isPublished(value)
    ? { ...value, post: { ...value.post, ...NO_TEXT } }
    : { ...(value as Post), ...NO_TEXT }
  return { ...row, outcome: { value: blank } }
}

/** The same without all that its user said. */
export function withoutWords(row: KeyRow): KeyRow {
  const value = row.outcome?.value as Published | Post | User
  if (isPublished(value)) {
    const blank = {
      post: { ...value.post, ...NO_TEXT },
      author: { ...value.author, ...NO_PROFILE }
    }
    return { ...row, about: null, outcome: { value: blank } }
  }
  const blank = { ...value, ...('content' in value ? NO_TEXT : NO_PROFILE) }
  return { ...row, about: null, outcome: { value: blank } }
}

/** Names of the keys that keep words of a post or a user. */
export function keysAbout({ keys }: Tables, about: PostId | number): string[] {
  return [...keys].filter(([, row]) => row.about === about).map(([name]) => name)
}
