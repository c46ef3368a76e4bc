// Services and a fleet that a test may break, under traffic.
import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import { withClient } from '../packages/server/src/adapters/postgres/bundled/with-client.ts'
import { migrate } from '../packages/server/src/adapters/postgres/migrate.ts'
import { Random } from '../packages/server/src/cli/generate/random.ts'
import { type Fleet, type FleetOptions, startFleet } from './fleet.ts'
import { Traffic, type TrafficOptions } from './traffic.ts'

/** The chance of a test; its seed is printed, and FANWISE_TEST_SEED repeats it. */
export function seeded(t: TestContext): Random {
  const seed = Number(process.env.FANWISE_TEST_SEED ?? Date.now() % 1e6)
  t.diagnostic(`FANWISE_TEST_SEED=${seed}`)
  return new Random(seed)
}

/** How long a fault of the random kind goes on: short in CI, FANWISE_TEST_SOAK_S by hand. */
export function soakMs(usualS: number): number {
  return Number(process.env.FANWISE_TEST_SOAK_S ?? usualS) * 1000
}

/** Longer than a broker takes to give the partitions of a dead worker to others: feeds it dropped get warm again. */
export const CALM_MS = 9000

export function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}

/** People who do what they are asked to alone. */
export const quiet = { postsPerS: 0, readsPerS: 0, changesPerS: 0 }

/** Does `work(0)` to `work(count - 1)`, `width` of them at a time. */
export async function atOnce(
  width: number,
  count: number,
  work: (i: number) => Promise<unknown>
): Promise<void> {
  let next = 0
  const line = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: width }, line))
}

/** A database of its own in a server that may be killed. */
export async function freshDatabase(serverUrl: string): Promise<string> {
  const url = new URL(serverUrl)
  const name = `faults_${randomUUID().slice(0, 8)}`
  await withClient(serverUrl, client => client.query(`create database ${name}`))
  url.pathname = `/${name}`
  await migrate(url.href)
  return url.href
}

export interface Stage {
  readonly fleet: Fleet
  readonly traffic: Traffic
  readonly random: Random
}

type StageOptions = Omit<FleetOptions, 'databaseUrl'> & {
  /** The PostgreSQL server; the fleet gets a database in it. */
  readonly postgresUrl: string
  readonly traffic?: Omit<TrafficOptions, 'random' | 'apis'>
  /** Makes events go from the database to Kafka where no member does. */
  readonly carry?: (fleet: Fleet) => Promise<unknown>
}

/** A fleet with people whose feeds are warm. */
export async function setStage(t: TestContext, options: StageOptions): Promise<Stage> {
  const random = seeded(t)
  const databaseUrl = await freshDatabase(options.postgresUrl)
  const fleet = await startFleet(t, { ...options, databaseUrl })
  await options.carry?.(fleet)
  const traffic = new Traffic({ random, apis: fleet.apis, ...options.traffic })
  await traffic.prepare()
  return { fleet, traffic, random }
}
