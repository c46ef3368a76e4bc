// The wall clock of one process is wrong; the others and the database, which makes ids, are right.
import test from 'node:test'
import { startServices } from '../../scripts/services/start-services.ts'
import { pause, setStage } from '../../testkit/faults.ts'
import type { Member } from '../../testkit/fleet.ts'
import { assertExact } from '../../testkit/outcome.ts'

const SECOND_MS = 1000
const HOUR_MS = 3600 * SECOND_MS

/** By how much it is wrong, one after the other. */
const STEPS_MS = [-5 * SECOND_MS, -HOUR_MS, 24 * HOUR_MS]

async function stepClocks(members: readonly Member[], forMs: number): Promise<void> {
  for (const ms of STEPS_MS) {
    for (const member of members) {
      await member.shiftClock(ms)
      await pause(forMs)
      await member.shiftClock(0)
    }
  }
}

test('the clock of one process steps by -5 s, -1 h, +1 day', async t => {
  await using services = await startServices(['postgres', 'redis'], { useEnvironment: false })
  const { fleet, traffic } = await setStage(t, {
    postgresUrl: services.postgres.url,
    redisUrl: services.redis.url
  })
  await traffic.during(() => stepClocks(fleet.members, 2000))
  await assertExact(t, fleet, traffic)
})

test('over Kafka, the clock of a worker steps by -5 s, -1 h, +1 day, and that of the relay', async t => {
  await using services = await startServices(['postgres', 'redis', 'kafka'], {
    useEnvironment: false
  })
  const { fleet, traffic, random } = await setStage(t, {
    postgresUrl: services.postgres.url,
    redisUrl: services.redis.url,
    kafka: services.kafka.url,
    members: { api1: 'api', relay: 'relay,janitor', fanout1: 'fanout', fanout2: 'fanout' }
  })
  const worker = fleet.member(random.pick(['fanout1', 'fanout2']))
  await traffic.during(() => stepClocks([worker, fleet.member('relay')], 3000))
  await assertExact(t, fleet, traffic)
})
