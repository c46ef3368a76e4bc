import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { findRunning, startBundledPostgres } from './adapters/postgres/bundled/index.ts'
import { migrate } from './adapters/postgres/migrate.ts'
import { createPostgresStore } from './adapters/postgres/store.ts'
import type { Finding } from './cli/runtime.ts'
import type { Config } from './config.ts'
import { runningUrl } from './connect.ts'
import { databaseFailure } from './database-failure.ts'
import { modeOf } from './mode.ts'

const CONNECT_MS = 3000
/** For all that is asked of one server. */
const ANSWER_MS = 8000

/**
 * Looks at one thing after the other; what fails says why. Changes nothing in a database, and runs no role. Each look
 * ends within seconds, also where something does not answer.
 */
export async function doctor(config: Config): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  const look = async (name: string, check: () => string | Promise<string>) => {
    findings.push(await found(name, check))
  }
  await look('node', nodeVersion)
  await look(
    'settings',
    () => `mode ${modeOf(config)}, preset ${config.preset}, data in ${config.dataDir}`
  )
  if (config.databaseUrl !== '')
    await look('database', () => inTime(externalState(config.databaseUrl)))
  const bundled =
    config.databaseUrl === ''
      ? await findRunning(bundledFolder(config)).catch(() => undefined)
      : undefined
  if (bundled !== undefined) await look('data', () => `in ${bundled.dataDir}`)
  const running = config.url || (await runningUrl(config).catch(() => null))
  if (running !== null) await look('server', () => serverState(running))
  else if (config.databaseUrl === '') await look('database', () => bundledState(config))
  return findings
}

async function found(name: string, check: () => string | Promise<string>): Promise<Finding> {
  try {
    return { name, ok: true, detail: await check() }
  } catch (error) {
    return { name, ok: false, detail: reasonOf(error) }
  }
}

/** A connection that was tried at several addresses fails with an empty message and one error for each. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ')
  return error.message
}

function nodeVersion(): string {
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.version
  throw new Error(`${process.version} is older than 24`)
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  const late = new AbortController()
  const tooLate = wait(ANSWER_MS, undefined, { signal: late.signal }).then(() => {
    throw new Error(`no answer within ${ANSWER_MS / 1000} s`)
  })
  try {
    return await Promise.race([work, tooLate])
  } finally {
    tooLate.catch(() => undefined)
    late.abort()
  }
}

async function externalState(url: string): Promise<string> {
  try {
    return await databaseState(url)
  } catch (error) {
    throw databaseFailure(url, error) ?? error
  }
}

async function databaseState(url: string): Promise<string> {
  const version = await ping(url)
  const { pending } = await migrate(url, { dryRun: true })
  if (pending.length > 0)
    return `${version}; to be applied by the next start, or by fanwise migrate: ${pending.join(', ')}`
  await using store = await createPostgresStore({ url, poolMax: 2 })
  const { users, posts, outboxPending, outboxDead } = await store.stats()
  return `${version}, ${users} users, ${posts} posts, ${outboxPending} events pending, ${outboxDead} given up`
}

/** @returns name and version of the server */
async function ping(url: string): Promise<string> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: CONNECT_MS,
    application_name: 'fanwise doctor'
  })
  client.on('error', () => undefined)
  await client.connect()
  try {
    const { rows } = await client.query<{ version: string }>(
      `select current_setting('server_version') as version`
    )
    return `PostgreSQL ${rows[0]?.version.split(' ')[0]}`
  } finally {
    await client.end()
  }
}

async function bundledState(config: Config): Promise<string> {
  await using database = await startBundledPostgres({ dataDir: bundledFolder(config) })
  return `${await inTime(databaseState(database.url))}, data in ${database.dataDir}`
}

function bundledFolder(config: Config): string {
  return path.resolve(config.dataDir, 'postgres')
}

async function serverState(url: string): Promise<string> {
  const { status } = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(ANSWER_MS) }).catch(
    error => {
      throw new Error(`${url} does not answer`, { cause: error })
    }
  )
  if (status !== 200) throw new Error(`${url} answers ${status}: it is not ready`)
  return `${url} is ready`
}
