import type { Server } from './server.ts'

/** In the order that they need each other. */
export const serviceNames = ['postgres', 'redis', 'redis-cluster', 'kafka', 'connect'] as const

export type ServiceName = (typeof serviceNames)[number]

export interface Service {
  readonly name: ServiceName
  /** As the environment carries it: a URL, several with commas for a cluster, host:port for Kafka. */
  readonly url: string
  /** Empty when the service was found and not started. */
  readonly servers: readonly Server[]
}

/** The variables that name a running service; the first one that is set counts. */
const variables: Readonly<Record<ServiceName, readonly [string, ...string[]]>> = {
  postgres: ['FANWISE_TEST_DATABASE_URL', 'DATABASE_URL'],
  redis: ['FANWISE_TEST_REDIS_URL'],
  'redis-cluster': ['FANWISE_TEST_REDIS_CLUSTER'],
  kafka: ['FANWISE_TEST_KAFKA'],
  connect: ['FANWISE_TEST_CONNECT']
}

export function variableOf(name: ServiceName): string {
  return variables[name][0]
}

/** The URL of a service that the environment names. */
export function urlInEnvironment(name: ServiceName): string | undefined {
  return variables[name].map(variable => process.env[variable]).find(Boolean)
}

export function isServiceName(text: string): text is ServiceName {
  return (serviceNames as readonly string[]).includes(text)
}
