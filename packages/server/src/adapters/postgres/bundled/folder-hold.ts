import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import {
  BundledPostgresError,
  FolderInUseError,
  type FolderOwner
} from './bundled-postgres-error.ts'
import type { Postmaster } from './postmaster.ts'
import { startTime } from './process-identity.ts'

/** The advisory lock that the server of a data folder holds. Its database session is its life sign. */
const lockKey = [4_601_173, 1]

/** How long a killed server's session may take to go. */
const patienceMs = 3_000

/** The same while a process with the owner's pid runs: then the session hardly belongs to a dead one. */
const liveOwnerMs = 500

const heldBy = `select a.application_name as name from pg_locks l join pg_stat_activity a using (pid)
  where l.locktype = 'advisory' and l.database = (select oid from pg_database where datname = current_database())
    and l.classid = $1 and l.objid = $2 and l.objsubid = 2 and l.granted`

export interface HoldOptions {
  url: string
  folder: string
  /** The session broke and could not be taken up again: another server may have the folder. */
  onLost: (error: Error) => void
}

export interface FolderHold extends AsyncDisposable {
  /** Adds what a second server on this folder is told. */
  setOwner(owner: { port: number }): Promise<void>
}

/** An idle hold must not keep the process alive, but what waits for an answer must. */
type Client = pg.Client & { ref(): void; unref(): void }

async function connect(url: string, port?: number): Promise<Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: ['fanwise', process.pid, ...(port === undefined ? [] : [port])].join(' '),
    connectionTimeoutMillis: patienceMs,
    keepAlive: true
  }) as Client
  client.on('error', () => undefined)
  await client.connect()
  return client
}

function parseOwner(name: string | undefined): FolderOwner | undefined {
  const [, pid, port] = /^fanwise (\d+)(?: (\d+))?$/.exec(name ?? '') ?? []
  if (pid === undefined) return undefined
  return { pid: Number(pid), ...(port !== undefined && { port: Number(port) }) }
}

async function ownerOver(client: pg.Client): Promise<FolderOwner | undefined> {
  const { rows } = await client.query<{ name: string }>(heldBy, lockKey)
  return parseOwner(rows[0]?.name)
}

/** Tries for a while; undefined once held, else the server that holds it. */
async function take(client: pg.Client): Promise<FolderOwner | undefined> {
  const start = performance.now()
  for (;;) {
    const { rows } = await client.query('select pg_try_advisory_lock($1, $2) as held', lockKey)
    if (rows[0]?.held) return undefined
    const owner = (await ownerOver(client)) ?? { pid: 0 }
    const alive = ![0, process.pid].includes(owner.pid) && startTime(owner.pid) !== undefined
    if (performance.now() > start + (alive ? liveOwnerMs : patienceMs)) return owner
    await wait(50)
  }
}

/** A session that holds the lock. */
async function takenSession({ url, folder }: HoldOptions, port?: number): Promise<Client> {
  const client = await connect(url, port)
  try {
    const owner = await take(client)
    if (owner !== undefined) throw new FolderInUseError(folder, owner)
    return client
  } catch (error) {
    await client.end().catch(() => undefined)
    throw error
  }
}

interface Held {
  client: Client
  port?: number
  released: boolean
}

/** PostgreSQL ends all sessions when one crashes, and is back soon after. */
async function takeAgain(held: Held, options: HoldOptions): Promise<void> {
  const end = performance.now() + 3 * patienceMs
  let cause: unknown
  while (!held.released && performance.now() < end && !(cause instanceof FolderInUseError)) {
    try {
      held.client = await takenSession(options, held.port)
      return await watch(held, options)
    } catch (error) {
      cause = error
      await wait(100)
    }
  }
  if (!held.released) options.onLost(new Error('The hold on the data folder is lost.', { cause }))
}

async function watch(held: Held, options: HoldOptions): Promise<void> {
  if (held.released) return await held.client.end()
  held.client.unref()
  held.client.once('end', () => {
    if (!held.released) void takeAgain(held, options)
  })
}

/** Marks the data folder as worked on by this process for as long as the returned session lives. */
export async function holdFolder(options: HoldOptions): Promise<FolderHold> {
  const held: Held = { client: await takenSession(options), released: false }
  await watch(held, options)
  return {
    async setOwner({ port }) {
      held.port = port
      held.client.ref()
      await held.client.query(`set application_name = 'fanwise ${process.pid} ${Number(port)}'`)
      held.client.unref()
    },
    async [Symbol.asyncDispose]() {
      held.released = true
      held.client.ref()
      await held.client.end().catch(() => undefined)
    }
  }
}

/** PostgreSQL in recovery or shutdown has no sessions, so nobody holds its folder. */
const withoutSessions: readonly unknown[] = ['57P03', 'ECONNREFUSED', 'ECONNRESET']

/**
 * Throws if a live server works through a PostgreSQL that was found running. Returns when nobody
 * does: its server was killed, and it may be stopped.
 */
export async function refuseLiveOwner(
  postmaster: Postmaster,
  url: string,
  folder: string
): Promise<void> {
  try {
    const client = await takenSession({ url, folder, onLost: () => undefined })
    await client.end()
  } catch (error) {
    if (error instanceof BundledPostgresError) throw error
    if (withoutSessions.includes((error as { code?: unknown }).code)) return
    throw new BundledPostgresError(
      'not_answering',
      `PostgreSQL with pid ${postmaster.pid} runs on ${folder}, but can't be asked whose it is ` +
        `(${(error as Error).message}). Stop the server that uses it, or that process.`,
      { cause: error }
    )
  }
}

/** The live server of a running PostgreSQL, if any. */
export async function folderOwner(url: string): Promise<FolderOwner | undefined> {
  const client = await connect(url)
  try {
    return await ownerOver(client)
  } finally {
    await client.end()
  }
}
