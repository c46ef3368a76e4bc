// The parts of a distributed server in this process, on real services: what they carry can be followed event by event.
import { createKafkaEventLog } from '../packages/server/src/adapters/kafka/event-log.ts'
import { createMemoryFeeds } from '../packages/server/src/adapters/memory/feeds.ts'
import { createPostgresStore } from '../packages/server/src/adapters/postgres/store.ts'
import { createRedisFeeds } from '../packages/server/src/adapters/redis/feeds.ts'
import { createSystemClock } from '../packages/server/src/adapters/system/clock.ts'
import type { LoggedEvent } from '../packages/server/src/domain/event.ts'
import { type Limits, PRESETS } from '../packages/server/src/domain/limits.ts'
import { createFeed, type Feed, type Ports } from '../packages/server/src/feed.ts'
import { createSeen } from '../packages/server/src/janitor/seen.ts'
import type { EventHandler } from '../packages/server/src/ports/event-log.ts'
import { ROLE_LOOPS, type RoleContext } from '../packages/server/src/roles.ts'
import { startServices } from '../scripts/services/start-services.ts'
import { freshDatabase } from '../testkit/faults.ts'
import { freshPrefix } from '../testkit/kafka.ts'

/** PostgreSQL as in production: a commit is on disk. */
const DURABLE = { fsync: 'on', full_page_writes: 'on' }
const PARTITIONS = 16

export const QUIET = { log() {}, count() {}, gauge() {}, observe() {} }

/** Services of this benchmark alone, gone with it. */
export async function startOwn<N extends 'postgres' | 'redis' | 'kafka'>(
  parts: AsyncDisposableStack,
  ...names: readonly N[]
) {
  return parts.use(await startServices(names, { useEnvironment: false, postgres: DURABLE }))
}

export interface PipelineOptions {
  readonly postgresUrl: string
  readonly kafka?: string
  /** Feeds in memory without it. */
  readonly redisUrl?: string
  readonly limits?: Partial<Limits>
}

export interface Pipeline {
  readonly ports: Ports
  readonly limits: Limits
  readonly databaseUrl: string
  readonly prefix: string
  readonly feed: Feed
  readonly context: RoleContext
}

/** Ports on a database and topics of their own, and the API on them; no role runs yet. */
export async function openPipeline(
  parts: AsyncDisposableStack,
  options: PipelineOptions
): Promise<Pipeline> {
  const limits = { ...PRESETS['activity-feed'], ...options.limits }
  const databaseUrl = await freshDatabase(options.postgresUrl)
  const prefix = freshPrefix()
  const shared = { clock: createSystemClock(), telemetry: QUIET, limits }
  const store = parts.use(await createPostgresStore({ url: databaseUrl, poolMax: 10 }))
  const { redisUrl, kafka } = options
  const feeds = parts.use(
    redisUrl === undefined
      ? createMemoryFeeds(shared)
      : await createRedisFeeds({ ...shared, urls: [redisUrl], prefix: `${prefix}:` })
  )
  const log = parts.use(await openLog(shared, kafka, prefix))
  const ports = { ...shared, store, feeds, log }
  const secret = 'a secret of a benchmark that is long enough'
  const feed = createFeed(ports, { limits, secret, mode: 'bench', roles: [], seen() {} })
  parts.defer(() => feed.idle())
  const context = { ...ports, seen: createSeen(), worker: 'bench', sample: feed.sample }
  return { ports, limits, databaseUrl, prefix, feed, context }
}

async function openLog(
  shared: Pick<Ports, 'clock' | 'telemetry'>,
  kafka: string | undefined,
  prefix: string
): Promise<Ports['log']> {
  if (kafka === undefined) return NO_LOG
  return createKafkaEventLog({ ...shared, brokers: [kafka], prefix, partitions: PARTITIONS })
}

/** Where no role runs. */
const NO_LOG: Ports['log'] = {
  append: () => Promise.reject(new Error('there is no log')),
  consume: async () => {},
  release: async () => {},
  pending: async () => 0,
  async [Symbol.asyncDispose]() {}
}

/** The role `relay`, until the benchmark ends. */
export async function runRelay(parts: AsyncDisposableStack, { context }: Pipeline): Promise<void> {
  for (const part of await ROLE_LOOPS.relay(context)) parts.use(part)
}

/** Handlers that tell of each event whose work is done. */
export function followed(
  open: (lane: number) => EventHandler,
  onHandled: (events: readonly LoggedEvent[]) => void
): (lane: number) => EventHandler {
  return lane => {
    const handler = open(lane)
    return {
      ...handler,
      async handle(events) {
        await handler.handle(events)
        onHandled(events)
      }
    }
  }
}

/** A handler without work. */
export function idleHandler(): EventHandler {
  return { handle: async () => {}, close: async () => {} }
}
