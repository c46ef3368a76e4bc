import os from 'node:os'
import path from 'node:path'
import { createTelemetry } from './adapters/telemetry/telemetry.ts'
import type { Config } from './config.ts'
import { createFeed, type Feed, type Ports } from './feed.ts'
import { healthOf } from './health.ts'
import { createHttpServer } from './http/server.ts'
import { createSeen } from './janitor/seen.ts'
import { modeOf } from './mode.ts'
import { openPorts } from './open-ports.ts'
import { ROLE_LOOPS } from './roles.ts'
import { readSecrets, type Secrets } from './secrets.ts'

export interface App extends AsyncDisposable {
  readonly feed: Feed
  readonly ports: Ports
  readonly secrets: Secrets
  /** Where it listens; null when it was told not to. */
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
  const mode = modeOf(config)
  const secrets = await readSecrets(config)
  const { telemetry, metrics } = createTelemetry({ level: config.logLevel })
  const onFatal = options.onFatal ?? (() => {})
  const { ports, database, ledger } = await openPorts(config, parts, { telemetry, mode, onFatal })
  const { limits, roles } = config
  const seen = createSeen()
  const { secret } = secrets
  const worker = `${os.hostname()}:${process.pid}`
  const feed = createFeed(ports, { limits, roles, mode, secret, seen: seen.note })
  parts.defer(() => feed.idle())
  for (const role of roles)
    for (const part of await ROLE_LOOPS[role]({
      ...ports,
      limits,
      seen,
      worker,
      ledger,
      sample: feed.sample
    }))
      parts.use(part)
  const url =
    options.listen !== false
      ? await listen(config, options, secrets, { ports, feed, metrics, parts })
      : null
  if (url !== null) await database.setOwner({ port: Number(new URL(url).port) })
  const owned = parts.move()
  return {
    feed,
    ports,
    secrets,
    url,
    notes: [...database.notes, ...roleNotes(config)],
    dataDir: database.dataDir,
    mode,
    [Symbol.asyncDispose]: () => owned.disposeAsync()
  }
}

interface Served {
  readonly ports: Ports
  readonly feed: Feed
  readonly metrics: () => Promise<{ readonly contentType: string; readonly body: string }>
  readonly parts: AsyncDisposableStack
}

const PAGE_FOLDER = path.resolve(import.meta.dirname, '../../console/src')

/** The HTTP server; it stops first, before what it needs. */
async function listen(
  config: Config,
  { dev }: AppOptions,
  { secret, serverKey }: Secrets,
  { ports, feed, metrics, parts }: Served
): Promise<string> {
  const { production, roles, corsOrigins, jwksUrl, jwtIssuer, jwtAudience, host, port } = config
  const server = createHttpServer({
    backend: { as: feed.as, admin: feed.admin, metrics, health: () => healthOf(ports) },
    auth: {
      serverKey,
      keys: jwksUrl === '' ? { secret } : { jwksUrl },
      issuer: jwtIssuer || undefined,
      audience: jwtAudience || undefined
    },
    telemetry: ports.telemetry,
    api: roles.includes('api'),
    production,
    corsOrigins,
    ...(dev === true && { dev: { pageFolder: PAGE_FOLDER } })
  })
  parts.defer(() => server.close())
  return server.listen({ host, port })
}

/** What would surprise whoever started it. */
function roleNotes({ roles, redisUrls }: Config): string[] {
  if (redisUrls.length > 0 || roles.includes('fanout')) return []
  return ['The roles relay and fanout are off: new posts do not reach the feeds of followers.']
}
