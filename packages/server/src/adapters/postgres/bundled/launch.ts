import { type ChildProcess, spawn } from 'node:child_process'
import { open, readdir, readFile, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Binaries } from './binaries.ts'
import { BundledPostgresError } from './bundled-postgres-error.ts'
import { filesOf } from './cluster.ts'
import type { Place } from './place.ts'
import { readPidFile } from './postmaster.ts'
import { childOptions } from './run-as.ts'

/** Recovery after a power loss replays at most about 1 GB of WAL. */
const readyMs = 300_000

export interface Launch {
  place: Place
  binaries: Binaries
  settings: Record<string, string>
  port?: number
}

function settingsFor({ place, settings }: Launch, port: number): Record<string, string> {
  return {
    shared_buffers: '128MB',
    max_connections: '60',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...settings,
    listen_addresses: '127.0.0.1',
    port: `${port}`,
    unix_socket_directories: '',
    // Seven files, one a weekday, each emptied when its day comes again.
    logging_collector: 'on',
    log_directory: filesOf(place).logs,
    log_filename: 'postgres-%a.log',
    log_truncate_on_rotation: 'on',
    log_rotation_age: '1d',
    log_rotation_size: '0'
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as { port: number }
  await new Promise(resolve => server.close(resolve))
  return port
}

/** Its own session (a Ctrl-C meant for the server must not hit it) and no pipe that dies with the server. */
async function spawnPostgres(launch: Launch, port: number): Promise<ChildProcess> {
  const { place, binaries } = launch
  const files = filesOf(place)
  await rm(files.startLog, { force: true })
  await using log = await open(files.startLog, 'wx', 0o600)
  const settings = Object.entries(settingsFor(launch, port))
  const args = ['-D', files.cluster, ...settings.flatMap(([k, v]) => ['-c', `${k}=${v}`])]
  const child = spawn(path.join(binaries.binDir, 'postgres'), args, {
    ...childOptions(place.user, binaries.libDir),
    detached: true,
    stdio: ['ignore', log.fd, log.fd]
  })
  child.unref()
  await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject))
  return child
}

/** What a PostgreSQL that did not start said last: on its stderr, then in the newest log. */
async function lastWords(place: Place): Promise<string> {
  const files = filesOf(place)
  const names = await readdir(files.logs).catch(() => [])
  const logs = await Promise.all(
    names.map(async name => {
      const file = path.join(files.logs, name)
      return { file, at: (await stat(file)).mtimeMs }
    })
  )
  const newest = logs.sort((a, b) => b.at - a.at)[0]?.file
  const texts = [files.startLog, ...(newest === undefined ? [] : [newest])].map(file =>
    readFile(file, 'utf8').catch(() => '')
  )
  const lines = (await Promise.all(texts)).flatMap(text => text.trim().split('\n').slice(-12))
  return lines.filter(line => line !== '').join('\n')
}

async function ready(child: ChildProcess, cluster: string): Promise<boolean> {
  const end = performance.now() + readyMs
  while (child.exitCode === null && child.signalCode === null && performance.now() < end) {
    const found = await readPidFile(cluster)
    if (found?.ready && found.pid === child.pid) return true
    await wait(5)
  }
  return false
}

/** Leftovers of a crash that PostgreSQL waits out, or a port that another program took just now. */
const passing = /is still in use|could not bind|Address already in use/

/** Starts PostgreSQL and waits until it accepts connections. */
export async function launchPostgres(
  launch: Launch
): Promise<{ child: ChildProcess; port: number }> {
  for (let attempt = 1; ; attempt++) {
    const port = launch.port ?? (await freePort())
    const child = await spawnPostgres(launch, port)
    if (await ready(child, filesOf(launch.place).cluster)) return { child, port }
    child.kill('SIGQUIT')
    const words = await lastWords(launch.place)
    if (attempt < 8 && passing.test(words)) {
      await wait(250)
      continue
    }
    const library = /error while loading shared libraries|cannot execute|not found/.test(words)
    throw new BundledPostgresError(
      library ? 'cannot_run' : 'start_failed',
      `The bundled PostgreSQL did not start on ${launch.place.folder}. It said:\n${words}`
    )
  }
}
