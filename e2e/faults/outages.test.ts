// A service is away for a minute, or takes all and answers nothing, while people post and read.
import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import type { Server } from '../../scripts/services/server.ts'
import { type Services, startServices } from '../../scripts/services/start-services.ts'
import { pause, setStage, soakMs } from '../../testkit/faults.ts'
import type { Fleet } from '../../testkit/fleet.ts'
import { until } from '../../testkit/kafka.ts'
import { assertExact } from '../../testkit/outcome.ts'
import { createProxy } from '../../testkit/tcp-proxy.ts'

const AWAY_S = 60
const REDIS_GROWTH_MAX = 100e6

/** Posts wait in the outbox, not in memory; a process that answers has been seen to grow by 111 MB meanwhile. */
const KAFKA_GROWTH_MAX = 200e6

/** Until a process has grown as it does at work. */
const WARM_MS = 15_000

/** A quarter of what comes in in the shortest time. */
const MIN_POSTS = 50

let services: Services<'postgres' | 'redis' | 'kafka'>

before(async () => {
  services = await startServices(['postgres', 'redis', 'kafka'], { useEnvironment: false })
})
after(() => services.stop())

const urls = () => ({ postgresUrl: services.postgres.url, redisUrl: services.redis.url })

function memory({ members }: Fleet): Promise<number[]> {
  return Promise.all(members.map(member => member.metric('process_resident_memory_bytes')))
}

async function assertMemory(
  t: TestContext,
  fleet: Fleet,
  before: readonly number[],
  max: number
): Promise<void> {
  const grown = (await memory(fleet)).map((bytes, i) => bytes - (before[i] as number))
  t.diagnostic(`grown by ${grown.map(bytes => Math.round(bytes / 1e6)).join(', ')} MB`)
  assert.ok(Math.max(...grown) < max, `grown by ${grown.join(', ')} bytes`)
}

// At once: most of it is waiting.
describe('for a minute', { concurrency: true }, () => {
  test('Kafka is down: posts are taken, and feeds catch up', async t => {
    const { fleet, traffic } = await setStage(t, {
      ...{ ...urls(), kafka: services.kafka.url },
      members: { api1: 'api', api2: 'api', relay: 'relay,janitor', worker: 'fanout' }
    })
    const broker = services.kafka.servers[0] as Server
    await traffic.during(async () => {
      await pause(WARM_MS)
      const before = await memory(fleet)
      await broker.kill()
      const posts = traffic.report.posts
      await pause(soakMs(AWAY_S))
      assert.ok(traffic.report.posts > posts + MIN_POSTS, `posts are taken: ${traffic.summary()}`)
      await assertMemory(t, fleet, before, KAFKA_GROWTH_MAX)
      await broker.start()
      const back = performance.now()
      await until('all is caught up', () => fleet.admin.settle(1000).catch(() => false), 60_000)
      t.diagnostic(`caught up ${Math.round(performance.now() - back)} ms after Kafka was back`)
      await pause(3000)
    })
    await assertExact(t, fleet, traffic)
  })

  test('OR-01: Redis swallows all that it is sent: answers within 2 s, and posts are taken', async t => {
    await using proxy = await createProxy((services.redis.servers[0] as Server).port)
    const redisUrl = `redis://127.0.0.1:${proxy.port}`
    const { fleet, traffic } = await setStage(t, { ...urls(), redisUrl })
    const { report } = traffic
    await traffic.during(async () => {
      await pause(WARM_MS)
      const before = await memory(fleet)
      const { posts, pages, slow } = report
      proxy.blackhole()
      await pause(soakMs(AWAY_S))
      const asked = report.posts - posts + report.pages - pages
      assert.ok(report.posts > posts + MIN_POSTS, `posts are taken: ${traffic.summary()}`)
      t.diagnostic(`${report.slow - slow} of ${asked} answers took over 2 s`)
      // A few may be held up by a machine that is busy with other things.
      assert.ok(report.slow - slow <= asked / 20, `${report.slow - slow} of ${asked} are slow`)
      await assertMemory(t, fleet, before, REDIS_GROWTH_MAX)
      proxy.heal()
      await pause(2000)
    })
    await assertExact(t, fleet, traffic)
  })
})
