import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startConnect } from './connect.ts'
import { endWithProcess } from './end-with-process.ts'
import { type KafkaOptions, startKafka } from './kafka.ts'
import { startPostgres } from './postgres.ts'
import { startRedis } from './redis.ts'
import { type RedisClusterOptions, startRedisCluster } from './redis-cluster.ts'
import { type Service, type ServiceName, serviceNames, urlInEnvironment } from './service.ts'

export interface ServicesOptions {
  /** Take what the environment names instead of starting it; true by default. Such a service has no servers. */
  useEnvironment?: boolean
  /** Further settings of PostgreSQL. */
  postgres?: Readonly<Record<string, string>>
  /** Further settings of the single Redis. */
  redis?: Readonly<Record<string, string>>
  cluster?: RedisClusterOptions
  kafka?: KafkaOptions
}

export type Services<N extends ServiceName = ServiceName> = AsyncDisposable & {
  readonly [name in N]: Service
} & {
  /** Ends all that was started, and removes its folders. May be called again. */
  stop(): Promise<void>
}

function start(
  name: ServiceName,
  folder: string,
  options: ServicesOptions,
  kafka: Promise<Service>
) {
  switch (name) {
    case 'postgres':
      return startPostgres(folder, options.postgres)
    case 'redis':
      return startRedis(folder, options.redis)
    case 'redis-cluster':
      return startRedisCluster(folder, options.cluster)
    case 'kafka':
      return startKafka(folder, options.kafka)
    case 'connect':
      return kafka.then(({ url }) => startConnect(folder, url))
  }
}

/** The services asked for, and those that they need. */
export function withNeeds(names: readonly ServiceName[]): ServiceName[] {
  const wanted = new Set(names)
  if (wanted.has('connect')) wanted.add('kafka')
  return serviceNames.filter(name => wanted.has(name))
}

/**
 * Starts services side by side in a folder, each of them found in the environment where it may be.
 * @throws {AggregateError} once all attempts have ended; what did start is stopped again
 */
export async function startIn(
  folder: string,
  names: readonly ServiceName[],
  options: ServicesOptions,
  running: readonly Service[] = []
): Promise<Service[]> {
  const started = new Map<ServiceName, Promise<Service>>()
  for (const name of withNeeds(names)) {
    const url = (options.useEnvironment ?? true) ? urlInEnvironment(name) : undefined
    const found =
      running.find(service => service.name === name) ?? (url && { name, url, servers: [] })
    const kafka = started.get('kafka') as Promise<Service>
    started.set(name, found ? Promise.resolve(found) : start(name, folder, options, kafka))
  }
  const results = await Promise.allSettled(started.values())
  const services = results.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []))
  const errors = results.flatMap(result => (result.status === 'rejected' ? [result.reason] : []))
  if (errors.length === 0) return services
  await stopAll(services.filter(service => !running.includes(service)))
  throw new AggregateError(new Set(errors), [...new Set(errors)].map(String).join('\n'))
}

/** In the reverse order of their needs. */
async function stopAll(services: readonly Service[]): Promise<void> {
  const connect = services.filter(({ name }) => name === 'connect')
  const others = services.filter(({ name }) => name !== 'connect')
  for (const group of [connect, others]) {
    await Promise.all(group.flatMap(({ servers }) => servers.map(server => server.stop())))
  }
}

/** A folder for services whose users of any kind can get in: PostgreSQL of a root process is another one. */
export async function servicesFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'fanwise-services-'))
  await chmod(folder, 0o755)
  return folder
}

/**
 * Services for as long as this process lives: `services.redis.url`. They are taken from the
 * environment, or started on free ports of 127.0.0.1 in a temporary folder, and installed before if
 * need be. A started one has `servers`, which can be killed, paused and started again.
 * @throws {AggregateError} with the end of the log of what did not start
 */
export async function startServices<N extends ServiceName>(
  names: readonly N[],
  options: ServicesOptions = {}
): Promise<Services<N>> {
  const folder = await servicesFolder()
  endWithProcess(folder)
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  const services = await startIn(folder, names, options).catch(async error => {
    await remove()
    throw error
  })
  let stopping: Promise<void> | undefined
  const stop = () => {
    stopping ??= stopAll(services).then(remove)
    return stopping
  }
  const byName = Object.fromEntries(services.map(service => [service.name, service]))
  return { ...(byName as Record<N, Service>), stop, [Symbol.asyncDispose]: stop }
}
