import { startTime } from '../../packages/server/src/adapters/postgres/bundled/process-identity.ts'
import { waitUntil } from './wait-until.ts'

/** A process that can't be mistaken for a later one of the same pid. */
export interface ProcessId {
  readonly pid: number
  /** Its start time in the words of the system. */
  readonly started: string
}

/** @throws {Error} when there is no such process */
export function identify(pid: number): ProcessId {
  const started = startTime(pid)
  if (started === undefined) throw new Error(`The process ${pid} has ended.`)
  return { pid, started }
}

export function isAlive({ pid, started }: ProcessId): boolean {
  return startTime(pid) === started
}

export function sendSignal(id: ProcessId, signal: NodeJS.Signals): void {
  if (!isAlive(id)) return
  try {
    process.kill(id.pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Ends a process, politely for `patienceMs`, and returns once it is gone. One that is stopped is woken. */
export async function endProcess(
  id: ProcessId,
  signal: NodeJS.Signals = 'SIGTERM',
  patienceMs = 15_000
): Promise<void> {
  sendSignal(id, signal)
  sendSignal(id, 'SIGCONT')
  if (await waitUntil(() => !isAlive(id), patienceMs, 10)) return
  sendSignal(id, 'SIGKILL')
  if (await waitUntil(() => !isAlive(id), 5_000, 10)) return
  throw new Error(`The process ${id.pid} could not be ended.`)
}
