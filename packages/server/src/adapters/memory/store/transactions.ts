import { Problem } from '../../../domain/errors.ts'
import { eventKey, type FeedEvent } from '../../../domain/event.ts'
import { DAY_MS } from '../../../domain/limits.ts'
import { laneOfAuthor, type PostId } from '../../../domain/post-id.ts'
import { createKeyedLock } from '../../../lib/keyed-lock.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { IdempotencyKey, Written } from '../../../ports/store.ts'
import type { KeyRow, Tables } from './tables.ts'
import { withoutWords } from './words.ts'

/** One transaction at work. It reads what is committed and collects what it will change. */
export interface Transaction {
  /** Unix ms, when its locks were held. */
  readonly now: number
  /** Applied with all other changes when it commits. */
  change(apply: () => void): void
  /** An outbox row; its number is drawn at once, before the commit. */
  emit(event: FeedEvent, attempts?: number): void
}

export type Work<T> = (tx: Transaction) => T

export interface TransactionOptions {
  readonly clock: Clock
  /** ms from the work of a transaction, with its numbers drawn and its locks held, to its commit. */
  readonly commitDelay?: (() => number | undefined) | undefined
}

/** How long an idempotency key is kept. */
export const KEY_MS = DAY_MS

export function keyName(key: IdempotencyKey): string {
  return `${key.owner} ${key.key}`
}

/** The key as it is used, or undefined when it is free. @throws Problem idempotency_conflict */
export function findKey(tables: Tables, key: IdempotencyKey, now: number): KeyRow | undefined {
  const row = tables.keys.get(keyName(key))
  if (row === undefined || now - row.madeAt >= KEY_MS) return undefined
  if (row.hash === key.hash)
    return row.about !== null && (isGone(tables, key.owner) || isGone(tables, row.about))
      ? withoutWords(row)
      : row
  throw new Problem(
    'idempotency_conflict',
    `The Idempotency-Key "${key.key}" was used with another request.`
  )
}

function isGone(tables: Tables, user: PostId | number): boolean {
  return typeof user === 'number' && tables.users.get(user)?.status === 'gone'
}

/**
 * Runs transactions as READ COMMITTED with row locks does: each waits for the rows that it writes, then sees what is
 * committed, and becomes visible as a whole. Those that meet in no row may commit in another order than they began.
 */
export class Transactions {
  readonly #tables: Tables
  readonly #options: TransactionOptions
  readonly #locks = createKeyedLock()
  readonly #listeners: (() => void)[] = []
  #outboxSeq = 0

  constructor(tables: Tables, options: TransactionOptions) {
    this.#tables = tables
    this.#options = options
  }

  onOutbox(listener: () => void): void {
    this.#listeners.push(listener)
  }

  /** Tells that the outbox has rows. */
  wake(): void {
    for (const listener of this.#listeners) listener()
  }

  /** `locks` name the rows that are written. */
  async run<T>(locks: Iterable<string>, work: Work<T>): Promise<T> {
    const release = await this.#locks.acquire(locks)
    try {
      const changes: (() => void)[] = []
      const before = this.#outboxSeq
      const value = work(this.#begin(changes))
      const emitted = this.#outboxSeq > before
      if (changes.length > 0) await this.#delay()
      for (const apply of changes) apply()
      if (emitted) this.wake()
      return value
    } finally {
      release()
    }
  }

  /** A transaction that a client may repeat under its key. */
  async write<T>(
    key: IdempotencyKey | undefined,
    locks: Iterable<string>,
    work: Work<T>,
    about?: (value: T) => PostId | number
  ): Promise<Written<T>> {
    if (key === undefined) return { value: await this.run(locks, work), replayed: false }
    return this.run([...locks, `key ${keyName(key)}`], tx => {
      const earlier = findKey(this.#tables, key, tx.now)?.outcome
      if (earlier) return { value: earlier.value as T, replayed: true }
      const value = work(tx)
      const row = {
        hash: key.hash,
        outcome: { value },
        about: about?.(value) ?? null,
        madeAt: tx.now
      }
      tx.change(() => this.#tables.keys.set(keyName(key), row))
      return { value, replayed: false }
    })
  }

  #begin(changes: (() => void)[]): Transaction {
    const change = (apply: () => void) => {
      changes.push(apply)
    }
    return {
      now: this.#options.clock.now(),
      change,
      emit: (event, attempts = 0) => {
        const lane = laneOfAuthor(eventKey(event))
        const row = { seq: ++this.#outboxSeq, lane, event, attempts }
        change(() => this.#tables.outbox.set(row.seq, row))
      }
    }
  }

  async #delay(): Promise<void> {
    const ms = this.#options.commitDelay?.()
    if (ms !== undefined) await this.#options.clock.sleep(ms)
  }
}
