import { Problem } from '../../domain/errors.ts'
import type { PostId } from '../../domain/post-id.ts'
import type { IdempotencyKey, KeyStore, Written } from '../../ports/store.ts'
import type { Lock } from './locks.ts'
import { type Database, type Queries, statement } from './pool.ts'
import { WITHOUT_WORDS } from './words.ts'

/** A key older than this counts as absent. */
export const KEY_LIFE = "interval '24 hours'"

/** Waits for whoever is using the key; a row comes back only for the one who got it. */
const claim = statement(
  'key_claim',
  `insert into idempotency_keys as k (owner, key, hash) values ($1, $2, $3)
   on conflict (owner, key) do update
     set hash = excluded.hash, outcome = null, about = null, created_at = now()
     where k.created_at <= now() - ${KEY_LIFE}
   returning owner`
)

const settle = statement(
  'key_settle',
  'update idempotency_keys set outcome = $3::jsonb, about = $4 where owner = $1 and key = $2'
)

/** Whoever is gone has no words from that moment on, before the janitor has taken them out of all that is kept. */
const outcome = `case
  when about is not null and exists (
    select from users u where u.number in (k.owner, k.about) and u.status = 'gone')
  then ${WITHOUT_WORDS} else outcome end as outcome`

const find = statement(
  'key_find',
  `select hash, ${outcome}, (extract(epoch from created_at) * 1000000)::bigint as opened
   from idempotency_keys k
   where owner = $1 and key = $2 and created_at > now() - ${KEY_LIFE}`
)

const close = statement(
  'key_close',
  `update idempotency_keys set outcome = $4::jsonb
   where owner = $1 and key = $2 and hash = $3 and outcome is null`
)

interface KeyRow {
  readonly hash: string
  readonly opened: string
  readonly outcome: { readonly value: unknown } | null
}

/** The key as it is used, or undefined when it is free. @throws Problem idempotency_conflict */
async function findKey(db: Queries, key: IdempotencyKey): Promise<KeyRow | undefined> {
  const [row] = await db.rows<KeyRow>(find, [key.owner, key.key])
  if (row === undefined || row.hash === key.hash) return row
  throw new Problem(
    'idempotency_conflict',
    `The Idempotency-Key "${key.key}" was used with another request.`
  )
}

/** What the key's request made, or undefined when it made nothing yet. @throws Problem idempotency_conflict */
export async function outcomeOf(
  db: Queries,
  key: IdempotencyKey
): Promise<{ readonly value: unknown } | undefined> {
  return (await findKey(db, key))?.outcome ?? undefined
}

export interface Write<T> {
  readonly name: string
  readonly locks?: readonly Lock[]
  readonly key: IdempotencyKey | undefined
  /** It writes no events. */
  readonly silent?: boolean
  /** The post or user whose words the result holds. */
  readonly about?: (value: T) => PostId | number
}

/** One transaction: the key, if there is one, and the work whose result it keeps (JSON). */
export async function write<T>(
  db: Database,
  { name, locks = [], key, silent = false, about }: Write<T>,
  work: (tx: Queries) => Promise<T>
): Promise<Written<T>> {
  const written = await db.transaction(name, locks, async tx => {
    if (key === undefined) return { value: await work(tx), replayed: false }
    const [claimed] = await tx.rows(claim, [key.owner, key.key, key.hash])
    if (claimed === undefined) return replay<T>(tx, key)
    const value = await work(tx)
    await tx.rows(settle, [key.owner, key.key, JSON.stringify({ value }), about?.(value) ?? null])
    return { value, replayed: false }
  })
  if (!written.replayed && !silent) db.wake()
  return written
}

export function keys(db: Database): KeyStore {
  return {
    async isDone(key) {
      return (await outcomeOf(db, key)) !== undefined
    },

    async openKey(key) {
      await db.rows(claim, [key.owner, key.key, key.hash])
      const row = await findKey(db, key)
      if (row === undefined) throw ranOut()
      return { opened: row.opened, outcome: row.outcome }
    },

    async closeKey<T>(key: IdempotencyKey, value: T) {
      await db.rows(close, [key.owner, key.key, key.hash, JSON.stringify({ value })])
      const kept = await outcomeOf(db, key)
      return kept === undefined ? value : (kept.value as T)
    }
  }
}

export function ranOut(): Problem {
  return new Problem('unavailable', 'The Idempotency-Key just ran out.')
}

async function replay<T>(tx: Queries, key: IdempotencyKey): Promise<Written<T>> {
  const outcome = await outcomeOf(tx, key)
  if (outcome === undefined) throw ranOut()
  return { value: outcome.value as T, replayed: true }
}
