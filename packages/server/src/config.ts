import { DAY_MS, type Limits, PRESETS, type Preset } from './domain/limits.ts'
import {
  address,
  choice,
  integer,
  list,
  optionalInteger,
  read,
  type Setting,
  text,
  type Values
} from './settings.ts'

export const ROLES = ['api', 'relay', 'fanout', 'janitor'] as const
export type Role = (typeof ROLES)[number]

/** Every setting, in the order of docs/config.md, which a test compares with this table. */
export const SETTINGS = {
  env: choice(
    'FANWISE_ENV',
    ['development', 'production'],
    'development',
    'Production refuses to start without secrets and has no demo.'
  ),
  host: text('FANWISE_HOST', '127.0.0.1', 'Address to listen on.'),
  port: optionalInteger(
    'FANWISE_PORT',
    0,
    65_535,
    'Port to listen on; 0 takes a free one. Default 4100, and a free one for a process without the role api: it answers /livez, /readyz and /metrics only.'
  ),
  url: address(
    'FANWISE_URL',
    ['http', 'https'],
    'http://host:port',
    'A running server that commands work with; default: the one on the data folder.'
  ),
  databaseUrl: address(
    'DATABASE_URL',
    ['postgres', 'postgresql'],
    'postgres://user:password@host:port/database',
    'PostgreSQL 15 or later; empty starts the bundled one on the data folder.',
    true
  ),
  dataDir: text(
    'FANWISE_DATA_DIR',
    '.fanwise',
    'Folder of the bundled PostgreSQL and of generated secrets.'
  ),
  redisUrls: list(
    'FANWISE_REDIS_URL',
    [],
    'Redis or Valkey 7 for feeds, as redis://host:port; several, separated by commas, are nodes of one cluster. Empty keeps feeds in memory: one process only.'
  ),
  feeds: choice(
    'FANWISE_FEEDS',
    ['list', 'zset'],
    'list',
    'How Redis holds a feed: a list (8 kB for 800 ids) or a sorted set.'
  ),
  kafkaBrokers: list(
    'FANWISE_KAFKA_BROKERS',
    [],
    'Some brokers of Kafka 4.0 or later, as host:port, separated by commas. Empty hands events over in memory: relay and fanout in one process.'
  ),
  kafkaPartitions: integer(
    'FANWISE_KAFKA_PARTITIONS',
    16,
    1,
    4096,
    'Partitions of the topic of events when it is made: a power of two, and never changed.'
  ),
  kafkaReplicas: optionalInteger(
    'FANWISE_KAFKA_REPLICAS',
    1,
    9,
    'Replicas of topics when they are made. Default as the brokers say.'
  ),
  prefix: text(
    'FANWISE_PREFIX',
    'fanwise',
    'Before every key of Redis and every topic of Kafka, so that several fleets may share them.'
  ),
  relay: choice(
    'FANWISE_RELAY',
    ['own', 'cdc'],
    'own',
    'Who carries events from the outbox to Kafka: the role relay, or Debezium (cdc). The same on all processes.'
  ),
  roles: list('FANWISE_ROLES', [...ROLES], 'What this process does, separated by commas.', ROLES),
  secret: text(
    'FANWISE_SECRET',
    '',
    'At least 32 characters; checks tokens (HS256) and signs cursors. Made on the first start in development.',
    true
  ),
  serverKey: text(
    'FANWISE_SERVER_KEY',
    '',
    "At least 32 characters; the backend's key. Made on the first start in development; empty in production turns its routes off.",
    true
  ),
  jwksUrl: text(
    'FANWISE_JWKS_URL',
    '',
    'Key set of your identity provider; tokens are then checked with it instead of the secret.'
  ),
  jwtIssuer: text('FANWISE_JWT_ISSUER', '', 'Required `iss` of tokens; empty accepts any.'),
  jwtAudience: text('FANWISE_JWT_AUDIENCE', '', 'Required `aud` of tokens; empty accepts any.'),
  corsOrigins: list(
    'FANWISE_CORS_ORIGINS',
    [],
    'Origins of browsers that may call the API, separated by commas.'
  ),
  preset: choice(
    'FANWISE_PRESET',
    Object.keys(PRESETS) as Preset[],
    'activity-feed',
    'A row of limits; the settings below override it.'
  ),
  cap: optionalInteger(
    'FANWISE_CAP',
    10,
    100_000,
    'Ids kept in one feed; scrolling goes on below it. Default by preset.'
  ),
  threshold: optionalInteger(
    'FANWISE_THRESHOLD',
    2,
    1_000_000_000,
    'Followers from which an author is merged on read instead of pushed. Default by preset.'
  ),
  delivery: choice(
    'FANWISE_DELIVERY',
    ['', 'push', 'pull', 'hybrid'],
    '',
    'How posts reach feeds. Default by preset.'
  ),
  idleDays: optionalInteger(
    'FANWISE_IDLE_DAYS',
    1,
    3650,
    'Days after which the feed of a reader who stays away is forgotten; it is rebuilt on return. Default by preset.'
  ),
  followsMax: optionalInteger(
    'FANWISE_FOLLOWS_MAX',
    1,
    100_000,
    'Users that one user may follow. Default by preset.'
  ),
  feedsBytes: integer(
    'FANWISE_FEEDS_BYTES',
    268_435_456,
    1_048_576,
    Number.MAX_SAFE_INTEGER,
    'Memory for feeds in embedded mode, bytes; the least recently read go first.'
  ),
  poolMax: integer('FANWISE_POOL_MAX', 20, 2, 500, 'Database connections of this process.'),
  statementTimeoutMs: integer(
    'FANWISE_STATEMENT_TIMEOUT_MS',
    10_000,
    100,
    600_000,
    'Longest database statement, ms.'
  ),
  logLevel: choice(
    'FANWISE_LOG_LEVEL',
    ['debug', 'info', 'warn', 'error', 'silent'],
    'info',
    'Least level that is logged.'
  )
} as const satisfies Record<string, Setting>

const PORT = 4100

export type Settings = Values<typeof SETTINGS>

export interface Config
  extends Omit<
    Settings,
    'port' | 'roles' | 'preset' | 'delivery' | 'cap' | 'threshold' | 'idleDays' | 'followsMax'
  > {
  readonly production: boolean
  readonly port: number
  readonly roles: readonly Role[]
  readonly preset: Preset
  readonly limits: Limits
}

export type Environment = Readonly<Record<string, string | undefined>>

/** Reads and checks the environment once. @throws SettingsError naming every wrong value and what is allowed. */
export function readConfig(
  overrides: Partial<Record<keyof typeof SETTINGS, string>> = {},
  environment: Environment = process.env
): Config {
  const settings = read(SETTINGS, overrides, {
    ...environment,
    FANWISE_ENV: environment.FANWISE_ENV ?? environment.NODE_ENV?.replace(/^test$/, 'development')
  })
  return {
    ...settings,
    production: settings.env === 'production',
    port: settings.port ?? (settings.roles.includes('api') ? PORT : 0),
    roles: settings.roles as readonly Role[],
    limits: limitsOf(settings)
  }
}

function limitsOf(settings: Settings): Limits {
  const preset: Limits = PRESETS[settings.preset]
  return {
    ...preset,
    cap: settings.cap ?? preset.cap,
    threshold: settings.threshold ?? preset.threshold,
    delivery: settings.delivery || preset.delivery,
    idleMs: settings.idleDays === null ? preset.idleMs : settings.idleDays * DAY_MS,
    followsMax: settings.followsMax ?? preset.followsMax
  }
}
