import path from 'node:path'
import { createKafkaEventLog } from './adapters/kafka/event-log.ts'
import { createMemoryEventLog } from './adapters/memory/event-log.ts'
import { createMemoryFeeds } from './adapters/memory/feeds.ts'
import { FolderInUseError } from './adapters/postgres/bundled/bundled-postgres-error.ts'
import { type FolderHold, holdFolder } from './adapters/postgres/bundled/folder-hold.ts'
import { startBundledPostgres } from './adapters/postgres/bundled/index.ts'
import { migrate } from './adapters/postgres/migrate.ts'
import { createPostgresStore } from './adapters/postgres/store.ts'
import { createRedisFeeds } from './adapters/redis/feeds.ts'
import { createSystemClock } from './adapters/system/clock.ts'
import type { Config } from './config.ts'
import { createLedger, drainLedger, type Ledger } from './fanout/ledger.ts'
import type { Ports } from './feed.ts'
import type { Mode } from './mode.ts'
import type { Clock } from './ports/clock.ts'
import type { Telemetry } from './ports/telemetry.ts'

export interface OpenPorts {
  readonly ports: Ports
  readonly database: Database
  /** Of this process's workers: what they hand it when the log closes is appended before the Store closes. */
  readonly ledger: Ledger
}

/** Where posts live, and this process's hold on it. */
export interface Database {
  readonly url: string
  readonly notes: readonly string[]
  /** The folder of the bundled PostgreSQL; null where DATABASE_URL is set. */
  readonly dataDir: string | null
  /** Tells others where the server that holds the database listens. */
  setOwner(owner: { port: number }): Promise<void>
}

export interface OpenOptions {
  readonly telemetry: Telemetry
  readonly mode: Mode
  /** The app cannot go on. */
  readonly onFatal: (reason: string) => void
}

/** A Store that is not reachable when the process starts is waited for; tried so often. */
const RETRY_MS = 2000

/** Opens the adapters that the settings ask for; `parts` closes them in the end. */
export async function openPorts(
  config: Config,
  parts: AsyncDisposableStack,
  options: OpenOptions
): Promise<OpenPorts> {
  const clock = createSystemClock()
  const database = await openDatabase(config, parts, clock, options)
  const { url } = database
  const store = parts.use(await createPostgresStore({ ...storeOptions(config, options), url }))
  const context = { clock, telemetry: options.telemetry, limits: config.limits }
  const ledger = createLedger({ ...context, store })
  parts.defer(() => drainLedger(ledger, clock))
  const feeds = parts.use(await openFeeds(config, context))
  const log = parts.use(
    config.kafkaBrokers.length === 0
      ? createMemoryEventLog()
      : await createKafkaEventLog({
          ...context,
          brokers: config.kafkaBrokers,
          prefix: config.prefix,
          partitions: config.kafkaPartitions,
          ...(config.kafkaReplicas !== null && { replicas: config.kafkaReplicas }),
          onLost: loss => void answerLoss(config, store, options.telemetry, loss.reason)
        })
  )
  return { ports: { store, feeds, log, clock, telemetry: options.telemetry }, database, ledger }
}

function storeOptions(config: Config, { telemetry }: OpenOptions) {
  const { poolMax, statementTimeoutMs, limits, relay, roles } = config
  const notify = relay === 'own' && !roles.includes('relay')
  return { poolMax, statementTimeoutMs, limits, relay, notify, telemetry }
}

async function openFeeds(
  config: Config,
  context: { clock: Clock; telemetry: Telemetry; limits: Config['limits'] }
): Promise<Ports['feeds']> {
  const { redisUrls, feeds: kind, feedsBytes } = config
  if (redisUrls.length === 0) return createMemoryFeeds({ ...context, bytesMax: feedsBytes })
  return createRedisFeeds({ ...context, urls: redisUrls, kind, prefix: `${config.prefix}:` })
}

async function openDatabase(
  config: Config,
  parts: AsyncDisposableStack,
  clock: Clock,
  { telemetry, mode, onFatal }: OpenOptions
): Promise<Database> {
  const onLost = (error: Error) => onFatal(error.message)
  if (config.databaseUrl === '') {
    const dataDir = path.resolve(config.dataDir, 'postgres')
    const bundled = parts.use(await startBundledPostgres({ dataDir, onExit: onFatal, onLost }))
    await migrate(bundled.url)
    return bundled
  }
  const url = config.databaseUrl
  await migrateWhenReachable(url, clock, telemetry)
  const plain = { url, notes: [], dataDir: null }
  if (mode !== 'embedded') return { ...plain, setOwner: async () => {} }
  // Feeds in the memory of two processes would each miss what the other one writes.
  const hold = parts.use(await holdDatabase(url, onLost))
  return { ...plain, setOwner: hold.setOwner }
}

/** @throws Error naming the server that has the feeds of this database in its memory, and the ways out. */
async function holdDatabase(url: string, onLost: (error: Error) => void): Promise<FolderHold> {
  try {
    return await holdFolder({ url, folder: 'the database', onLost })
  } catch (error) {
    if (!(error instanceof FolderInUseError)) throw error
    const { pid, port } = error.owner
    const server =
      port === undefined ? '' : `; commands reach it with --url http://127.0.0.1:${port}`
    throw new Error(
      `The server with pid ${pid} has the feeds of this database in its memory${server}. ` +
        'Stop it first, or let servers share feeds with FANWISE_REDIS_URL.',
      { cause: error }
    )
  }
}

/** Processes start in any order: a database that does not answer yet is no reason to end. */
async function migrateWhenReachable(
  url: string,
  clock: Clock,
  telemetry: Telemetry
): Promise<void> {
  for (;;) {
    try {
      await migrate(url)
      return
    } catch (error) {
      if (!isUnreachable(error)) throw error
      telemetry.log('warn', 'the database does not answer; trying again', { error })
      await clock.sleep(RETRY_MS)
    }
  }
}

const UNREACHABLE = new Set(['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EHOSTUNREACH', '57P03'])

function isUnreachable(error: unknown): boolean {
  const { code, errors } = error as { code?: string; errors?: unknown[] }
  return (code !== undefined && UNREACHABLE.has(code)) || (errors ?? []).some(isUnreachable)
}

/** Rows are kept for 7 days, so what the log lost comes again; with Debezium nobody reads them again: all is rebuilt. */
async function answerLoss(
  { relay }: Config,
  store: Ports['store'],
  telemetry: Telemetry,
  reason: string
): Promise<void> {
  telemetry.count('log_losses', 1, { reason })
  try {
    if (relay === 'cdc') await store.raiseEpoch()
    else await store.republish(OUTBOX_MS)
  } catch (error) {
    telemetry.log('error', 'events that the log lost could not be asked for again', {
      reason,
      error
    })
  }
}

const OUTBOX_MS = 7 * 86_400_000
