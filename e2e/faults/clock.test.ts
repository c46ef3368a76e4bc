// The wall clock of one process is wrong; the others and the database, which makes ids, are right.
import test from 'node:test'
import { startServices } from '../../scripts/services/start-services.ts'
import { pause, setStage } from '../../testkit/faults.ts'
import { assertExact } from '../../testkit/outcome.ts'

const SECOND_MS = 1000
const HOUR_MS = 3600 * SECOND_MS

test('the clock of one process steps by -5 s, -1 h, +1 day', async t => {
  await using services = await startServices(['postgres', 'redis'], { useEnvironment: false })
  const { fleet, traffic } = await setStage(t, {
    postgresUrl: services.postgres.url,
    redisUrl: services.redis.url
  })
  await traffic.during(async () => {
    for (const ms of [-5 * SECOND_MS, -HOUR_MS, 24 * HOUR_MS, 0]) {
      for (const member of fleet.members) {
        await member.shiftClock(ms)
        await pause(2500)
        await member.shiftClock(0)
      }
    }
  })
  await assertExact(t, fleet, traffic)
})
