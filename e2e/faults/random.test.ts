// Any process and any service is killed or put to sleep at any time, while people post and read.
import test, { type TestContext } from 'node:test'
import type { Random } from '../../packages/server/src/cli/generate/random.ts'
import { startServices } from '../../scripts/services/start-services.ts'
import { pause, setStage, soakMs } from '../../testkit/faults.ts'
import { assertExact } from '../../testkit/outcome.ts'

/** Longer than a post may be on its way and still count as in time. */
const LONG_SLEEP_MS = 17_000

/** Longer than a broker takes to give the partitions of a dead worker to others. */
const CALM_MS = 9000

interface Victim {
  readonly name: string
  /** Kills it, or puts it to sleep. */
  readonly kill: () => Promise<void>
  readonly start: () => Promise<void>
  readonly sleep: () => void
  readonly wake: () => void
}

function victimOf(
  server: { name: string; pause(): void; resume(): void; kill(): Promise<void> },
  start: () => Promise<void>
): Victim {
  return {
    name: server.name,
    kill: () => server.kill(),
    start,
    sleep: () => server.pause(),
    wake: () => server.resume()
  }
}

/** One fault after the other until the time is over. */
async function breakAll(
  t: TestContext,
  random: Random,
  victims: readonly Victim[],
  forMs: number
): Promise<void> {
  const end = performance.now() + forMs
  const queue: Victim[] = []
  while (performance.now() < end) {
    if (queue.length === 0) queue.push(...victims.toSorted(() => random.next() - 0.5))
    const victim = queue.pop() as Victim
    const ms = 500 + random.index(4000)
    if (random.next() < 0.5) {
      t.diagnostic(`kill -9 ${victim.name} for ${ms} ms`)
      await victim.kill()
      await pause(ms)
      await victim.start()
    } else {
      t.diagnostic(`SIGSTOP ${victim.name} for ${ms} ms`)
      victim.sleep()
      await pause(ms)
      victim.wake()
    }
    await pause(random.index(1500))
  }
}

async function sleepLong(t: TestContext, victim: Victim): Promise<void> {
  t.diagnostic(`SIGSTOP ${victim.name} for ${LONG_SLEEP_MS} ms`)
  victim.sleep()
  await pause(LONG_SLEEP_MS)
  victim.wake()
}

test('each role and each service dies or sleeps at random', async t => {
  await using services = await startServices(['postgres', 'redis', 'kafka'], {
    useEnvironment: false
  })
  const { postgres, redis, kafka } = services
  const { fleet, traffic, random } = await setStage(t, {
    postgresUrl: postgres.url,
    redisUrl: redis.url,
    kafka: kafka.url
  })
  const members = fleet.members.map(member => victimOf(member.server, () => member.start()))
  const servers = [postgres, redis, kafka].flatMap(service =>
    service.servers.map(server => victimOf(server, () => server.start()))
  )
  const sleeper = members.find(({ name }) => name === random.pick(['fanout1', 'fanout2', 'api2']))
  await traffic.during(async () => {
    const others = [...members, ...servers].filter(victim => victim !== sleeper)
    await Promise.all([sleeper && sleepLong(t, sleeper), breakAll(t, random, others, soakMs(60))])
    // Feeds that new workers have dropped get warm again.
    await pause(CALM_MS)
  })
  await assertExact(t, fleet, traffic)
})
