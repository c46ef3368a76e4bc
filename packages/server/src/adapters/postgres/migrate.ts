import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { Client } from 'pg'
import { MIGRATE_LOCK } from './locks.ts'

interface Migration {
  readonly name: string
  readonly text: string
  readonly hash: string
}

export interface Migrated {
  /** Names of the files applied by this call. */
  readonly applied: string[]
  /** Names of the files that are still to be applied: only with `dryRun`. */
  readonly pending: string[]
}

const TABLE = `create table if not exists schema_migrations (
  name text primary key,
  hash text not null,
  applied_at timestamptz not null default now()
)`

/** The numbered files, in their order. Line ends don't count: a checkout may have changed them. */
function migrations(): Migration[] {
  const folder = path.join(import.meta.dirname, 'migrations')
  const names = readdirSync(folder).filter(name => name.endsWith('.sql'))
  return names.sort().map(name => {
    const text = readFileSync(path.join(folder, name), 'utf8').replaceAll('\r\n', '\n')
    return { name, text, hash: createHash('sha256').update(text).digest('hex') }
  })
}

/** The hashes of what the database has. */
async function appliedHashes(client: Client): Promise<Map<string, string>> {
  const found = await client.query(`select to_regclass('schema_migrations') is not null as there`)
  if (!found.rows[0]?.there) return new Map()
  const { rows } = await client.query<{ name: string; hash: string }>(
    'select name, hash from schema_migrations'
  )
  return new Map(rows.map(row => [row.name, row.hash]))
}

/** @throws Error when the database has a migration that this version does not have, or has otherwise. */
function pendingOf(files: readonly Migration[], applied: ReadonlyMap<string, string>): Migration[] {
  const names = new Set(files.map(file => file.name))
  for (const name of applied.keys()) {
    if (!names.has(name))
      throw new Error(`The database has migration ${name}: it belongs to a later version.`)
  }
  for (const file of files) {
    const hash = applied.get(file.name)
    if (hash !== undefined && hash !== file.hash)
      throw new Error(`Migration ${file.name} was altered after it had been applied.`)
  }
  return files.filter(file => !applied.has(file.name))
}

async function apply(client: Client, migration: Migration): Promise<void> {
  await client.query('begin')
  try {
    await client.query(migration.text)
    await client.query('insert into schema_migrations (name, hash) values ($1, $2)', [
      migration.name,
      migration.hash
    ])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw new Error(`Migration ${migration.name} failed: ${String(error)}`, { cause: error })
  }
}

/**
 * Brings the schema of the database at `url` up to date, each file in a transaction of its own.
 * Several processes may call it at once. With `dryRun` it changes nothing.
 */
export async function migrate(url: string, options?: { dryRun?: boolean }): Promise<Migrated> {
  const files = migrations()
  const client = new Client({ connectionString: url, application_name: 'fanwise migrate' })
  client.on('error', () => undefined)
  await client.connect()
  try {
    if (options?.dryRun) {
      const pending = pendingOf(files, await appliedHashes(client))
      return { applied: [], pending: pending.map(file => file.name) }
    }
    await client.query('select pg_advisory_lock($1, 0)', [MIGRATE_LOCK])
    await client.query(TABLE)
    const pending = pendingOf(files, await appliedHashes(client))
    for (const file of pending) await apply(client, file)
    return { applied: pending.map(file => file.name), pending: [] }
  } finally {
    await client.end()
  }
}
