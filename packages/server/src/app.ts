import path from 'node:path'
import { createMemoryEventLog } from './adapters/memory/event-log.ts'
import { createMemoryFeeds } from './adapters/memory/feeds.ts'
import { type BundledPostgres, startBundledPostgres } from './adapters/postgres/bundled/index.ts'
import { migrate } from './adapters/postgres/migrate.ts'
import { createPostgresStore } from './adapters/postgres/store.ts'
import { createSystemClock } from './adapters/system/clock.ts'
import { createTelemetry } from './adapters/telemetry/telemetry.ts'
import type { Config } from './config.ts'
import { createFeed, type Feed, type Ports } from './feed.ts'
import { createHttpServer } from './http/server.ts'
import { createSeen } from './janitor/seen.ts'
import { ROLE_LOOPS } from './roles.ts'
import { readSecrets, type Secrets } from './secrets.ts'

export interface App extends AsyncDisposable {
  readonly feed: Feed
  readonly ports: Ports
  readonly secrets: Secrets
  /** Where it listens; null without the role `api`. */
  readonly url: string | null
  /** Lines for people: what is not where they would look for it. */
  readonly notes: readonly string[]
  readonly dataDir: string | null
  readonly mode: string
}

export interface AppOptions {
  /** Serves the page at `/` and hands out tokens on this machine. */
  readonly dev?: boolean
  /** False: no HTTP server, whatever the roles. */
  readonly listen?: boolean
  /** The app cannot go on: its database ended or belongs to another process. */
  readonly onFatal?: (reason: string) => void
}

/** config -> ports -> roles: the one place where all meets. Two apps in one process do not know of each other. */
export async function startApp(config: Config, options: AppOptions = {}): Promise<App> {
  await using parts = new AsyncDisposableStack()
  const secrets = await readSecrets(config)
  const { telemetry, metrics } = createTelemetry({ level: config.logLevel })
  const bundled = config.databaseUrl === '' ? parts.use(await startDatabase(config, options)) : null
  const url = bundled?.url ?? config.databaseUrl
  await migrate(url)
  const clock = createSystemClock()
  const { limits } = config
  const store = parts.use(await createPostgresStore({ ...config, url, limits, telemetry }))
  const feeds = parts.use(
    createMemoryFeeds({ clock, limits, bytesMax: config.feedsBytes, telemetry })
  )
  const log = parts.use(createMemoryEventLog({}))
  const ports: Ports = { store, feeds, log, clock, telemetry }
  const seen = createSeen()
  const mode = bundled === null ? 'embedded, external database' : 'embedded'
  const feed = createFeed(ports, { ...config, secret: secrets.secret, mode, seen: seen.note })
  parts.defer(() => feed.idle())
  for (const role of config.roles)
    for (const part of await ROLE_LOOPS[role]({ ...ports, limits, seen })) parts.use(part)
  const http = !config.roles.includes('api') || options.listen === false ? null : await listen()
  if (http !== null) await bundled?.setOwner({ port: Number(new URL(http).port) })
  const owned = parts.move()
  return {
    feed,
    ports,
    secrets,
    url: http,
    notes: bundled?.notes ?? [],
    dataDir: bundled?.dataDir ?? null,
    mode,
    [Symbol.asyncDispose]: () => owned.disposeAsync()
  }

  async function listen(): Promise<string> {
    const server = createHttpServer({
      backend: { as: feed.as, admin: feed.admin, metrics, health: () => health(store) },
      auth: {
        serverKey: secrets.serverKey,
        keys: config.jwksUrl === '' ? { secret: secrets.secret } : { jwksUrl: config.jwksUrl },
        issuer: config.jwtIssuer || undefined,
        audience: config.jwtAudience || undefined
      },
      telemetry,
      production: config.production,
      corsOrigins: config.corsOrigins,
      ...(options.dev === true && { dev: { pageFolder: PAGE_FOLDER } })
    })
    parts.defer(() => server.close())
    return server.listen({ host: config.host, port: config.port })
  }
}

const PAGE_FOLDER = path.resolve(import.meta.dirname, '../../console/src')

function startDatabase(config: Config, { onFatal }: AppOptions): Promise<BundledPostgres> {
  return startBundledPostgres({
    dataDir: path.resolve(config.dataDir, 'postgres'),
    onExit: reason => onFatal?.(reason),
    onLost: error => onFatal?.(error.message)
  })
}

async function health(store: Ports['store']): Promise<Record<string, string>> {
  try {
    await store.ping()
    return { store: 'ok' }
  } catch (error) {
    return { store: error instanceof Error ? error.message : String(error) }
  }
}
