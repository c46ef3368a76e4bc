import { Pool, type PoolClient, type QueryResultRow } from 'pg'
import type { Telemetry } from '../../ports/telemetry.ts'
import { type Bell, createBell, OUTBOX_CHANNEL } from './bell.ts'
import { asProblem, isCollision, isTakenId, wasAnswered } from './failures.ts'
import { inOrder, type Lock } from './locks.ts'

/** A statement that each connection prepares once, under its name. */
export interface Statement {
  readonly name: string
  readonly text: string
}

export function statement(name: string, text: string): Statement {
  return { name, text }
}

/** Something that answers statements: a transaction, or any connection of the pool. */
export interface Queries {
  rows<R extends QueryResultRow>(of: Statement, values?: readonly unknown[]): Promise<R[]>
}

export interface DatabaseOptions {
  readonly url: string
  readonly poolMax?: number
  readonly statementTimeoutMs?: number
  readonly telemetry?: Telemetry
  /** Who carries outbox rows to the log: processes with the role `relay`, or change data capture. */
  readonly relay?: 'own' | 'cdc'
  /** Tells relays in other processes of new rows. */
  readonly notify?: boolean
}

const CONNECT_TIMEOUT_MS = 5000
const STATEMENT_TIMEOUT_MS = 10_000
/** The server cancels first; this is for a server that no longer answers. */
const ANSWER_MS = 2000
const ATTEMPTS = 8
const NOTIFY = `notify ${OUTBOX_CHANNEL}`

/** How every connection of the Store is made. */
export function connectionConfig(options: DatabaseOptions) {
  const timeout = options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS
  return {
    ...withSetting(options.url, `-c fanwise.relay=${options.relay ?? 'own'}`),
    application_name: 'fanwise',
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: timeout,
    query_timeout: timeout + ANSWER_MS
  }
}

/** A setting of the session besides those of the URL: the driver lets these replace whatever it is given apart. */
function withSetting(url: string, setting: string) {
  const at = url.indexOf('?')
  if (at < 0) return { connectionString: url, options: setting }
  const query = new URLSearchParams(url.slice(at + 1))
  const given = query.getAll('options').at(-1)
  if (given === undefined) return { connectionString: url, options: setting }
  query.delete('options')
  return { connectionString: `${url.slice(0, at)}?${query}`, options: `${given} ${setting}` }
}

/** The pool. Its errors are Problems where the caller may try again. */
export class Database implements Queries, AsyncDisposable {
  readonly #pool: Pool
  readonly #telemetry: Telemetry | undefined
  readonly #listeners: (() => void)[] = []
  readonly #bell: Bell | undefined

  constructor(options: DatabaseOptions) {
    this.#telemetry = options.telemetry
    this.#pool = new Pool({ ...connectionConfig(options), max: options.poolMax ?? 10 })
    if (options.notify) this.#bell = createBell(() => this.#pool.query(NOTIFY))
    const note = (error: Error) =>
      this.#telemetry?.log('warn', 'A database connection was lost', { error: error.message })
    this.#pool.on('error', note)
    this.#pool.on('connect', client => client.on('error', note))
  }

  /** One statement is one transaction. */
  rows<R extends QueryResultRow>(of: Statement, values: readonly unknown[] = []): Promise<R[]> {
    return this.#attempt(of.name, client => answer<R>(client, of, values))
  }

  /** @throws Problem unavailable, and whatever `work` throws: then nothing was written. */
  transaction<T>(
    name: string,
    locks: readonly Lock[],
    work: (tx: Queries) => Promise<T>
  ): Promise<T> {
    return this.#attempt(name, async client => {
      await client.query(beginSql(inOrder(locks)))
      const value = await work({ rows: (of, values = []) => answer(client, of, values) })
      await client.query('commit')
      return value
    })
  }

  onOutbox(listener: () => void): void {
    this.#listeners.push(listener)
  }

  /** To be called after the commit of outbox rows. */
  wake(): void {
    this.heard()
    this.#bell?.ring()
  }

  /** Some process has written outbox rows. */
  heard(): void {
    for (const listener of this.#listeners) listener()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#bell?.stop()
    await this.#pool.end()
  }

  /** Deadlocks and taken ids are tried again: the next attempt sees what the other one did. */
  async #attempt<T>(name: string, work: (client: PoolClient) => Promise<T>): Promise<T> {
    const started = performance.now()
    try {
      for (let attempt = 1; ; attempt++) {
        try {
          return await this.#withClient(work)
        } catch (error) {
          if (attempt === ATTEMPTS || !(isCollision(error) || isTakenId(error))) throw error
          this.#telemetry?.count('store_retries_total', 1, { statement: name })
        }
      }
    } catch (error) {
      throw asProblem(error)
    } finally {
      this.#telemetry?.observe('store_ms', performance.now() - started, { statement: name })
    }
  }

  async #withClient<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect()
    let broken = true
    try {
      const value = await work(client)
      broken = false
      return value
    } catch (error) {
      if (wasAnswered(error)) broken = await rollBack(client)
      throw error
    } finally {
      client.release(broken)
    }
  }
}

async function answer<R extends QueryResultRow>(
  client: PoolClient,
  of: Statement,
  values: readonly unknown[]
): Promise<R[]> {
  const { rows } = await client.query<R>({ name: of.name, text: of.text, values: [...values] })
  return rows
}

/** One round trip. The locks are taken in their order; what follows sees all that was done under them. */
function beginSql(locks: readonly Lock[]): string {
  if (locks.length === 0) return 'begin'
  const rows = locks.map(lock => `(${lock.space}, ${lock.number})`).join(', ')
  return `begin; select pg_advisory_xact_lock(space, number) from (values ${rows}) l (space, number)`
}

/** Returns whether the connection is broken. Outside a transaction it does nothing. */
async function rollBack(client: PoolClient): Promise<boolean> {
  try {
    await client.query('rollback')
    return false
  } catch {
    return true
  }
}
