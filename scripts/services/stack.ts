import { rm } from 'node:fs/promises'
import { withFileLock } from '../file-lock.mjs'
import { cacheFolder } from './cache-folder.ts'
import { endProcess } from './end-process.ts'
import type { ServiceName } from './service.ts'
import { servicesFolder, startIn, withNeeds } from './start-services.ts'
import {
  forgetState,
  isUp,
  type KeptService,
  kept,
  readState,
  type State,
  writeState
} from './state.ts'

const lock = `${cacheFolder}/stack.lock`

async function end({ servers }: KeptService): Promise<void> {
  await Promise.all(servers.map(server => endProcess(server, server.stopSignal)))
}

async function upOnce(names: readonly ServiceName[]): Promise<KeptService[]> {
  const state: State = (await readState()) ?? { folder: await servicesFolder(), services: [] }
  const running = state.services.filter(isUp)
  const wanted = withNeeds(names)
  const broken = state.services.filter(service => !isUp(service) && wanted.includes(service.name))
  await Promise.all(broken.map(end))
  const known = running.map(({ name, url }) => ({ name, url, servers: [] }))
  const missing = wanted.filter(name => !running.some(service => service.name === name))
  const started = await startIn(state.folder, missing, {}, known)
  const fresh = started.filter(({ name }) => missing.includes(name)).map(kept)
  const others = state.services.filter(({ name }) => !missing.includes(name))
  const own = [...others, ...fresh].filter(({ servers }) => servers.length > 0)
  await writeState({ ...state, services: own })
  const all = [...running, ...fresh]
  return wanted.flatMap(name => all.find(service => service.name === name) ?? [])
}

/**
 * Starts what does not run yet, for longer than this process lives.
 * @returns the services asked for; those of the environment have no servers
 */
export async function up(names: readonly ServiceName[]): Promise<KeptService[]> {
  return await withFileLock(lock, () => upOnce(names))
}

async function downOnce(names: readonly ServiceName[]): Promise<KeptService[]> {
  const state = await readState()
  if (state === undefined) return []
  const ending = state.services.filter(
    ({ name }) => names.includes(name) || (name === 'connect' && names.includes('kafka'))
  )
  for (const service of ending.toReversed()) await end(service)
  const services = state.services.filter(service => !ending.includes(service))
  if (services.length > 0) await writeState({ ...state, services })
  else {
    await rm(state.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
    await forgetState()
  }
  return ending
}

/** Ends what `up` has started, and removes the data with the last one. */
export async function down(names: readonly ServiceName[]): Promise<KeptService[]> {
  return await withFileLock(lock, () => downOnce(names))
}
