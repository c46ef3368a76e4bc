import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { cacheFolder } from './cache-folder.ts'
import { identify, isAlive, type ProcessId } from './end-process.ts'
import type { Service, ServiceName } from './service.ts'

export interface KeptServer extends ProcessId {
  readonly name: string
  readonly port: number
  readonly logFile: string
  readonly stopSignal: NodeJS.Signals
}

export interface KeptService {
  readonly name: ServiceName
  readonly url: string
  readonly servers: readonly KeptServer[]
}

/** What `npm run services up` has started, for those that come after it. */
export interface State {
  readonly folder: string
  readonly services: readonly KeptService[]
}

const file = path.join(cacheFolder, 'state.json')

/** Undefined when nothing was started. */
export async function readState(): Promise<State | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  return text === undefined ? undefined : (JSON.parse(text) as State)
}

export async function writeState(state: State): Promise<void> {
  await mkdir(cacheFolder, { recursive: true })
  await writeFile(`${file}.tmp`, JSON.stringify(state, undefined, 2))
  await rename(`${file}.tmp`, file)
}

export async function forgetState(): Promise<void> {
  await rm(file, { force: true })
}

export function kept({ name, url, servers }: Service): KeptService {
  const keep = ({ name, port, logFile, stopSignal, pid }: Service['servers'][number]) => ({
    name,
    port,
    logFile,
    stopSignal,
    ...identify(pid)
  })
  return { name, url, servers: servers.map(keep) }
}

/** Whether every server of it runs. */
export function isUp({ servers }: KeptService): boolean {
  return servers.every(isAlive)
}
