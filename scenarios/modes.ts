// The ways to run Fanwise that every scenario is run in.
import { randomBytes } from 'node:crypto'
import type { Role, SETTINGS } from '../packages/server/src/config.ts'
import type { ServiceName } from '../scripts/services/service.ts'
import { urlInEnvironment } from '../scripts/services/service.ts'
import { thorough } from '../testkit/thorough.ts'

export type Mode = 'embedded' | 'http' | 'single' | 'zset' | 'cluster' | 'distributed' | 'cdc'

type Settings = Partial<Record<keyof typeof SETTINGS, string>>

interface ModeSpec {
  readonly needs: readonly ServiceName[]
  /** A server for each list of roles; the first one answers requests. */
  readonly roles: readonly (readonly Role[])[]
  readonly settings: () => Settings
}

const all: readonly Role[] = ['api', 'relay', 'fanout', 'janitor']
const prefix = () => `t${randomBytes(6).toString('hex')}`
const redis = () => ({ redisUrls: urlInEnvironment('redis') ?? '', prefix: prefix() })

const kafka = () => ({
  ...redis(),
  kafkaBrokers: urlInEnvironment('kafka') ?? '',
  kafkaPartitions: '4',
  kafkaReplicas: '1'
})

export const MODES: Readonly<Record<Mode, ModeSpec>> = {
  embedded: { needs: [], roles: [all], settings: () => ({}) },
  http: { needs: [], roles: [all], settings: () => ({}) },
  // Two servers: the second one has no lanes until the first one is gone, and shares all the rest.
  single: { needs: ['redis'], roles: [all, all], settings: redis },
  zset: { needs: ['redis'], roles: [all], settings: () => ({ ...redis(), feeds: 'zset' }) },
  cluster: {
    needs: ['redis-cluster'],
    roles: [all],
    settings: () => ({ redisUrls: urlInEnvironment('redis-cluster') ?? '', prefix: prefix() })
  },
  distributed: {
    needs: ['redis', 'kafka'],
    roles: [['api'], ['relay'], ['fanout'], ['fanout'], ['janitor']],
    settings: kafka
  },
  // Debezium in place of our relay.
  cdc: {
    needs: ['redis', 'kafka', 'connect'],
    roles: [['api'], ['fanout'], ['janitor']],
    settings: () => ({ ...kafka(), relay: 'cdc' })
  }
}

const MAIN: readonly Mode[] = ['embedded', 'single', 'zset', 'cluster', 'distributed']

/** Of scenarios about what lies behind the API: over HTTP in thorough runs alone. */
export const BEHIND_API: readonly Mode[] = thorough ? ['http', ...MAIN] : MAIN
