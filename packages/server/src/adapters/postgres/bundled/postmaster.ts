import { readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { BundledPostgresError } from './bundled-postgres-error.ts'
import { commandLine, startTime } from './process-identity.ts'

/** A running PostgreSQL as its own `postmaster.pid` describes it. */
export interface Postmaster {
  pid: number
  port: number
  ready: boolean
}

const pidFile = (cluster: string) => path.join(cluster, 'postmaster.pid')

/** What `postmaster.pid` says, true or not: a crash leaves it behind. */
export async function readPidFile(
  cluster: string
): Promise<(Postmaster & { folder: string }) | undefined> {
  const text = await readFile(pidFile(cluster), 'utf8').catch(() => '')
  const [pid, folder, , port, , , , status] = text.split('\n')
  if (!Number(pid) || !folder) return undefined
  return { pid: Number(pid), folder, port: Number(port), ready: status?.trim() === 'ready' }
}

/** Whether that process is a PostgreSQL on that folder, and not another one that got its pid. */
function runsOn(pid: number, folder: string): boolean {
  if (startTime(pid) === undefined) return false
  if (process.platform === 'win32') return true
  const line = commandLine(pid) ?? ''
  return /postgres/.test(line) && line.includes(folder)
}

/**
 * The PostgreSQL that runs on a cluster, if any. A pid file whose process is another program is
 * removed: PostgreSQL itself would take that program for a running server and refuse to start.
 */
export async function findPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const found = await readPidFile(cluster)
  if (found === undefined) return undefined
  if (runsOn(found.pid, found.folder)) return found
  if (startTime(found.pid) !== undefined) await rm(pidFile(cluster), { force: true })
  return undefined
}

/** Waits until a process is gone; false when it still runs after `ms`. */
async function gone(pid: number, started: string | undefined, ms: number): Promise<boolean> {
  const end = performance.now() + ms
  while (startTime(pid) !== undefined && startTime(pid) === started) {
    if (performance.now() > end) return false
    await wait(5)
  }
  return true
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/**
 * Smart shutdown, which lets sessions that are closing anyway end by themselves; then a fast one
 * (with a checkpoint), then an immediate one (recovery at the next start). Windows has no such
 * signals: there the first one ends it at once, and the next start recovers.
 */
export async function stopPostmaster(pid: number): Promise<void> {
  const started = startTime(pid)
  if (started === undefined) return
  const steps: [NodeJS.Signals, number][] = [
    ['SIGTERM', 250],
    ['SIGINT', 30_000],
    ['SIGQUIT', 10_000],
    ['SIGKILL', 5_000]
  ]
  for (const [name, ms] of steps) {
    signal(pid, name)
    if (await gone(pid, started, ms)) return
  }
  throw new BundledPostgresError(
    'not_answering',
    `PostgreSQL with pid ${pid} could not be stopped.`
  )
}
