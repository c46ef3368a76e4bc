import { Problem } from '../../domain/errors.ts'
import type { IdempotencyKey, Written } from '../../ports/store.ts'
import type { Lock } from './locks.ts'
import { type Database, type Queries, statement } from './pool.ts'

/** A key older than this counts as absent. */
export const KEY_LIFE = "interval '24 hours'"

/** Waits for whoever is using the key; a row comes back only for the one who got it. */
const claim = statement(
  'key_claim',
  `insert into idempotency_keys as k (owner, key, hash) values ($1, $2, $3)
   on conflict (owner, key) do update
     set hash = excluded.hash, outcome = null, created_at = now()
     where k.created_at <= now() - ${KEY_LIFE}
   returning owner`
)

const settle = statement(
  'key_settle',
  'update idempotency_keys set outcome = $3::jsonb where owner = $1 and key = $2'
)

const find = statement(
  'key_find',
  `select hash, outcome from idempotency_keys
   where owner = $1 and key = $2 and created_at > now() - ${KEY_LIFE}`
)

interface KeyRow {
  readonly hash: string
  readonly outcome: { readonly value: unknown } | null
}

/** What the key's request made, or undefined when the key is free. @throws Problem idempotency_conflict */
export async function outcomeOf(
  db: Queries,
  key: IdempotencyKey
): Promise<{ readonly value: unknown } | undefined> {
  const [row] = await db.rows<KeyRow>(find, [key.owner, key.key])
  if (row === undefined) return undefined
  if (row.hash !== key.hash)
    throw new Problem(
      'idempotency_conflict',
      `The Idempotency-Key "${key.key}" was used with another request.`
    )
  return row.outcome ?? undefined
}

export interface Write {
  readonly name: string
  readonly locks?: readonly Lock[]
  readonly key: IdempotencyKey | undefined
  /** It writes no events. */
  readonly silent?: boolean
}

/** One transaction: the key, if there is one, and the work whose result it keeps (JSON). */
export async function write<T>(
  db: Database,
  { name, locks = [], key, silent = false }: Write,
  work: (tx: Queries) => Promise<T>
): Promise<Written<T>> {
  const written = await db.transaction(name, locks, async tx => {
    if (key === undefined) return { value: await work(tx), replayed: false }
    const [claimed] = await tx.rows(claim, [key.owner, key.key, key.hash])
    if (claimed === undefined) return replay<T>(tx, key)
    const value = await work(tx)
    await tx.rows(settle, [key.owner, key.key, JSON.stringify({ value })])
    return { value, replayed: false }
  })
  if (!written.replayed && !silent) db.wake()
  return written
}

async function replay<T>(tx: Queries, key: IdempotencyKey): Promise<Written<T>> {
  const outcome = await outcomeOf(tx, key)
  if (outcome === undefined) throw new Problem('unavailable', 'The Idempotency-Key just ran out.')
  return { value: outcome.value as T, replayed: true }
}
