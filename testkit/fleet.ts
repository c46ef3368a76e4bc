// Servers as processes of their own, each with the roles that it is given, on services that a test may break.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { FanwiseAdmin, type FanwiseClient } from '@fanwise/sdk'
import { ChildServer } from '../scripts/services/child-server.ts'
import { endWithProcess } from '../scripts/services/end-with-process.ts'
import { freePorts } from '../scripts/services/free-ports.ts'
import type { Server } from '../scripts/services/server.ts'
import { servicesFolder } from '../scripts/services/start-services.ts'
import { freshPrefix } from './kafka.ts'
import { SECRET, SERVER_KEY } from './server.ts'

const MAIN = path.resolve(import.meta.dirname, '../packages/server/src/main.ts')
const SHIFT = path.resolve(import.meta.dirname, 'shift-clock.ts')
const READY_MS = 60_000

/** Small, so that pages cross the seam and authors turn into celebrities. */
const SMALL = { FANWISE_CAP: '50', FANWISE_THRESHOLD: '20', FANWISE_KAFKA_PARTITIONS: '4' }

const ALL = 'api,relay,fanout,janitor'

/** Processes by name, with their roles: one role each over Kafka. */
export const APART: Readonly<Record<string, string>> = {
  api1: 'api',
  api2: 'api',
  relay: 'relay',
  fanout1: 'fanout',
  fanout2: 'fanout',
  janitor: 'janitor'
}

/** Two processes that do the same. */
export const TWINS: Readonly<Record<string, string>> = { all1: ALL, all2: ALL }

export interface FleetOptions {
  readonly databaseUrl: string
  readonly redisUrl: string
  /** Brokers; without them the processes of `TWINS` run, with them those of `APART`. */
  readonly kafka?: string
  readonly members?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  /** Settings of single members, by name. */
  readonly envOf?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Members, by name, that reach PostgreSQL by another port, such as a proxy's. */
  readonly databasePorts?: Readonly<Record<string, number>>
}

/** A process of Fanwise. */
export interface Member {
  readonly server: Server
  readonly roles: string
  readonly url: string
  /** How often it was started. */
  readonly starts: number
  readonly admin: FanwiseAdmin
  /** Answers that no fault excuses; empty if all is well. */
  readonly violations: readonly string[]
  /** A client that gives up soon and tries nothing twice. */
  as(user: string): FanwiseClient
  start(): Promise<void>
  kill(): Promise<void>
  /** SIGTERM, and it has to end by itself. */
  stop(): Promise<void>
  /** Steps its clock, and nobody else's. 0 puts it right. */
  shiftClock(ms: number): Promise<void>
  log(): Promise<string>
  /** The sum of a metric over its labels. */
  metric(name: string): Promise<number>
}

export interface Fleet {
  readonly members: readonly Member[]
  /** Those that answer requests. */
  readonly apis: readonly Member[]
  readonly prefix: string
  readonly databaseUrl: string
  readonly admin: FanwiseAdmin
  member(name: string): Member
  /** Prints the last lines of all members, once. */
  tellLogs(): Promise<void>
}

function environment(options: FleetOptions, name: string, roles: string, prefix: string) {
  return {
    ...{ DATABASE_URL: databaseUrlOf(options, name), FANWISE_REDIS_URL: options.redisUrl },
    ...{ FANWISE_KAFKA_BROKERS: options.kafka ?? '', FANWISE_KAFKA_REPLICAS: '1' },
    ...{ FANWISE_ROLES: roles, FANWISE_PREFIX: prefix, FANWISE_LOG_LEVEL: 'info' },
    ...{ FANWISE_SECRET: SECRET, FANWISE_SERVER_KEY: SERVER_KEY, FANWISE_ENV: 'development' },
    ...{ FANWISE_POOL_MAX: '8', NODE_OPTIONS: '' },
    ...SMALL,
    ...options.env,
    ...options.envOf?.[name]
  }
}

function databaseUrlOf({ databaseUrl, databasePorts }: FleetOptions, name: string): string {
  const url = new URL(databaseUrl)
  const port = databasePorts?.[name]
  if (port !== undefined) url.port = `${port}`
  return url.href
}

async function readLog(server: Server): Promise<string> {
  return readFile(server.logFile, 'utf8').catch(() => '')
}

function countReady(log: string): number {
  return log.split('Fanwise is ready.').length - 1
}

function createMember(folder: string, name: string, port: number, env: Record<string, string>) {
  const url = `http://127.0.0.1:${port}`
  const clockFile = path.join(folder, `${name}.clock`)
  let readyBefore = 0
  const server: Server = new ChildServer({
    name,
    port,
    folder: path.join(folder, name),
    command: [
      ...[process.execPath, '--conditions=source', '--disable-warning=ExperimentalWarning'],
      ...['--import', SHIFT, MAIN, 'start', '--data-dir', path.join(folder, name)]
    ] as [string, ...string[]],
    env: { ...env, FANWISE_PORT: `${port}`, FANWISE_TEST_CLOCK: clockFile },
    isReady: async () => countReady(await readLog(server)) > readyBefore,
    readyMs: READY_MS
  })
  const starts = { count: 0 }
  return {
    clockFile,
    url,
    server,
    starts,
    async start() {
      readyBefore = countReady(await readLog(server))
      starts.count++
      await server.start()
    }
  }
}

function memberOf(made: ReturnType<typeof createMember>, roles: string): Member {
  const { server, url } = made
  const violations: string[] = []
  const connection = { url, serverKey: SERVER_KEY, retries: 0, fetch: watched(violations) }
  const impatient = new FanwiseAdmin({ ...connection, timeoutMs: 8000 })
  return {
    server,
    roles,
    url,
    get starts() {
      return made.starts.count
    },
    admin: new FanwiseAdmin({ ...connection, timeoutMs: 120_000 }),
    violations,
    as: user => impatient.as(user),
    start: made.start,
    kill: () => server.kill(),
    stop: () => server.stop(),
    async shiftClock(ms) {
      await shift(made.clockFile, server.pid, ms)
    },
    log: () => readLog(server),
    metric: name => readMetric(url, name)
  }
}

/** A fetch that notes each 503 that does not say when to come back. */
function watched(violations: string[]): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    if (response.status === 503 && !response.headers.has('retry-after'))
      violations.push(`${init?.method} ${input}: 503 without Retry-After`)
    return response
  }
}

async function shift(file: string, pid: number, ms: number): Promise<void> {
  await writeFile(file, `${ms}`)
  process.kill(pid, 'SIGUSR2')
}

async function readMetric(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const values = text
    .split('\n')
    .filter(line => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
    .map(line => Number(line.slice(line.lastIndexOf(' '))))
  return values.reduce((sum, value) => sum + value, 0)
}

/** Starts all members side by side; they end with the test. */
export async function startFleet(t: TestContext, options: FleetOptions): Promise<Fleet> {
  const folder = await servicesFolder()
  endWithProcess(folder)
  const prefix = freshPrefix()
  const specs = Object.entries(options.members ?? (options.kafka ? APART : TWINS))
  const ports = await freePorts(specs.length)
  const members = specs.map(([name, roles], i) => {
    const env = environment(options, name, roles, prefix)
    return memberOf(createMember(folder, name, ports[i] as number, env), roles)
  })
  let telling: Promise<void> | undefined
  const tell = () => {
    telling ??= tellLogs(t, members)
    return telling
  }
  t.after(async () => {
    if ((t as { passed?: boolean }).passed === false) await tell()
    await Promise.all(members.map(member => member.kill()))
  })
  await Promise.all(members.map(member => member.start()))
  const apis = members.filter(({ roles }) => roles.includes('api'))
  const [first] = apis
  assert.ok(first, 'a fleet has an api')
  return {
    members,
    apis,
    prefix,
    databaseUrl: options.databaseUrl,
    admin: first.admin,
    tellLogs: tell,
    member(name) {
      const found = members.find(({ server }) => server.name === name)
      assert.ok(found, `no member ${name}`)
      return found
    }
  }
}

const TOLD_LINES = 8
const TOLD_CHARS = 400

async function tellLogs(t: TestContext, members: readonly Member[]): Promise<void> {
  for (const member of members) {
    const lines = (await member.log()).split('\n').filter(line => line.includes('"level"'))
    const told = lines.slice(-TOLD_LINES).map(line => line.slice(0, TOLD_CHARS))
    t.diagnostic(`${member.server.name}, the last lines:\n${told.join('\n')}`)
  }
}
