// Any process and any service is killed or put to sleep at any time, while people post and read.
import assert from 'node:assert/strict'
import test from 'node:test'
import { startServices } from '../../scripts/services/start-services.ts'
import { breakInTurn, membersOf, serversOf, sleepFor } from '../../testkit/fault-random.ts'
import { CALM_MS, pause, setStage, soakMs } from '../../testkit/faults.ts'
import { assertExact } from '../../testkit/outcome.ts'

/** Longer than a group waits for its member, a server for its client, and a post may be on its way. */
const SLEEP_MS = 60_000

test('each role and each service dies or sleeps at random, and one role sleeps for 60 s', async t => {
  await using services = await startServices(['postgres', 'redis', 'kafka'], {
    useEnvironment: false
  })
  const { postgres, redis, kafka } = services
  const { fleet, traffic, random } = await setStage(t, {
    postgresUrl: postgres.url,
    redisUrl: redis.url,
    kafka: kafka.url
  })
  const members = membersOf(fleet)
  const sleeper = random.pick(members)
  const others = [...members, ...serversOf(postgres, redis, kafka)]
  await traffic.during(async () => {
    await Promise.all([
      sleepFor(t, sleeper, SLEEP_MS),
      breakInTurn(
        t,
        random,
        others.filter(victim => victim !== sleeper),
        soakMs(60)
      )
    ])
    await pause(CALM_MS)
  })
  assert.ok(traffic.report.posts > 100, 'people could post')
  await assertExact(t, fleet, traffic)
})
