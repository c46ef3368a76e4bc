import type { Config } from './config.ts'
import { SettingsError } from './settings.ts'

export type Mode = 'embedded' | 'single' | 'distributed'

type Services = Pick<
  Config,
  'redisUrls' | 'kafkaBrokers' | 'databaseUrl' | 'relay' | 'roles' | 'kafkaPartitions'
>

/** Told by the services that are set; no stage knows it. @throws SettingsError when they do not go together. */
export function modeOf(config: Services): Mode {
  const problems = [...servicesApart(config), ...rolesApart(config)]
  if (problems.length > 0) throw new SettingsError(problems)
  if (config.kafkaBrokers.length > 0) return 'distributed'
  return config.redisUrls.length > 0 ? 'single' : 'embedded'
}

function servicesApart({
  redisUrls,
  kafkaBrokers,
  databaseUrl,
  relay,
  kafkaPartitions
}: Services): string[] {
  const problems: string[] = []
  if (kafkaBrokers.length > 0 && redisUrls.length === 0)
    problems.push(
      'FANWISE_KAFKA_BROKERS: feeds that several processes share need FANWISE_REDIS_URL as well'
    )
  if (redisUrls.length > 0 && databaseUrl === '')
    problems.push(
      'FANWISE_REDIS_URL: processes that share feeds share a database too; set DATABASE_URL'
    )
  if (relay === 'cdc' && kafkaBrokers.length === 0)
    problems.push('FANWISE_RELAY: "cdc" carries events to Kafka; set FANWISE_KAFKA_BROKERS')
  if (!Number.isInteger(Math.log2(kafkaPartitions)))
    problems.push(`FANWISE_KAFKA_PARTITIONS: "${kafkaPartitions}" is not a power of two`)
  return problems
}

/** Without Kafka a lane's events never leave the process that relays them; without Redis nor do feeds. */
function rolesApart({ redisUrls, kafkaBrokers, roles }: Services): string[] {
  if (kafkaBrokers.length > 0) return []
  if (roles.includes('relay') !== roles.includes('fanout'))
    return ['FANWISE_ROLES: without Kafka the roles relay and fanout go together']
  if (redisUrls.length === 0 && roles.includes('relay') && !roles.includes('api'))
    return ['FANWISE_ROLES: without Redis one process has the feeds, so it needs the role api']
  return []
}
