import { readFileSync } from 'node:fs'
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import {
  type BundledPostgres,
  startBundledPostgres
} from '../../packages/server/src/adapters/postgres/bundled/index.ts'
import { pidFile } from './child-server.ts'
import { endProcess, identify, isAlive, type ProcessId, sendSignal } from './end-process.ts'
import { freePorts } from './free-ports.ts'
import type { Server } from './server.ts'
import type { Service } from './service.ts'

/** Commits outlive every end of the processes, though not of the machine. */
const settings = {
  fsync: 'off',
  full_page_writes: 'off',
  wal_level: 'logical',
  max_replication_slots: '20',
  max_wal_senders: '20',
  max_slot_wal_keep_size: '2GB',
  max_connections: '200'
}

/** PostgreSQL's processes lead groups of their own; Linux lists them as children of the first one. */
function withChildren(postmaster: ProcessId): ProcessId[] {
  const { pid } = postmaster
  const file = `/proc/${pid}/task/${pid}/children`
  const pids = process.platform === 'linux' ? readFileSync(file, 'utf8').split(' ') : []
  return [postmaster, ...pids.filter(Boolean).flatMap(child => identifyRunning(Number(child)))]
}

/** Nothing for one that has ended since it was listed. */
function identifyRunning(pid: number): ProcessId[] {
  try {
    return [identify(pid)]
  } catch {
    return []
  }
}

class PostgresServer implements Server {
  readonly name = 'postgres'
  readonly stopSignal = 'SIGINT'
  readonly folder: string
  readonly port: number
  readonly #settings: Readonly<Record<string, string>>
  #running: BundledPostgres | undefined
  #process: ProcessId | undefined

  constructor(folder: string, port: number, more: Readonly<Record<string, string>>) {
    this.folder = folder
    this.port = port
    this.#settings = { ...settings, ...more }
  }

  get url(): string {
    return this.#running?.url ?? ''
  }

  get pid(): number {
    return this.#process?.pid ?? 0
  }

  get logFile(): string {
    return path.join(this.#running?.dataDir ?? this.folder, 'log')
  }

  async start(): Promise<void> {
    if (this.#process !== undefined && isAlive(this.#process)) return
    await mkdir(this.folder, { recursive: true })
    // PostgreSQL of a root process runs as another user, who must get in.
    await chmod(this.folder, 0o755)
    this.#running = await startBundledPostgres({
      dataDir: this.folder,
      systemDir: path.join(this.folder, 'system'),
      port: this.port,
      settings: this.#settings
    })
    this.#process = identify(this.#running.pid)
    await writeFile(pidFile(this.folder), `${this.pid}`)
  }

  async stop(): Promise<void> {
    this.resume()
    await this.#running?.stop()
    await rm(pidFile(this.folder), { force: true })
  }

  async kill(): Promise<void> {
    if (this.#process === undefined || !isAlive(this.#process)) return
    this.resume()
    await endProcess(this.#process, 'SIGKILL')
    await rm(pidFile(this.folder), { force: true })
  }

  pause(): void {
    this.#signalAll('SIGSTOP')
  }

  resume(): void {
    this.#signalAll('SIGCONT')
  }

  #signalAll(signal: NodeJS.Signals): void {
    if (this.#process === undefined || !isAlive(this.#process)) return
    for (const id of withChildren(this.#process)) sendSignal(id, signal)
  }
}

/** The bundled PostgreSQL, ready for change data capture. */
export async function startPostgres(
  folder: string,
  more: Readonly<Record<string, string>> = {}
): Promise<Service> {
  const [port] = await freePorts(1)
  const server = new PostgresServer(path.join(folder, 'postgres'), port as number, more)
  await server.start()
  return { name: 'postgres', url: server.url, servers: [server] }
}
