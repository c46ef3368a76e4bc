// Kafka is away, loses events, gives partitions to others, or carries what is no event.
import assert from 'node:assert/strict'
import test, { after, before, type TestContext } from 'node:test'
import { withClient } from '../../packages/server/src/adapters/postgres/bundled/with-client.ts'
import { type Services, startServices } from '../../scripts/services/start-services.ts'
import { configureTopic, deleteTopic, offsets, sendGarbage } from '../../testkit/fault-kafka.ts'
import { CALM_MS, pause, setStage } from '../../testkit/faults.ts'
import type { Fleet, FleetOptions } from '../../testkit/fleet.ts'
import { until } from '../../testkit/kafka.ts'
import { assertExact } from '../../testkit/outcome.ts'
import { createProxy } from '../../testkit/tcp-proxy.ts'

const PARTITIONS = 4

let services: Services<'postgres' | 'redis' | 'kafka'>

before(async () => {
  services = await startServices(['postgres', 'redis', 'kafka'], { useEnvironment: false })
})
after(() => services.stop())

const broker = () => services.kafka.servers[0] as (typeof services.kafka.servers)[number]

/** Fewer processes than in the wild: one that answers, one that does all the rest, and workers. */
const FEW = { api1: 'api', relay: 'relay,janitor', fanout1: 'fanout', fanout2: 'fanout' }

function stage(t: TestContext, more: Partial<FleetOptions> = {}) {
  return setStage(t, {
    ...{ postgresUrl: services.postgres.url, redisUrl: services.redis.url },
    ...{ kafka: services.kafka.url, members: FEW },
    ...more
  })
}

async function losses({ members }: Fleet): Promise<number> {
  const told = members.map(member => member.metric('fanwise_log_losses_total'))
  return (await Promise.all(told)).reduce((sum, count) => sum + count, 0)
}

test('the broker restarts in good order', async t => {
  const { fleet, traffic } = await stage(t)
  await traffic.during(async () => {
    await pause(1000)
    await broker().stop()
    await broker().start()
    await pause(3000)
  })
  await assertExact(t, fleet, traffic)
})

/** Ways to say that what is over a second old, or any closed segment, may go. */
const SHORT = {
  time: { 'retention.ms': '1000', 'segment.ms': '500' },
  size: { 'retention.bytes': '1', 'segment.ms': '500' }
}

test('events outlive their retention before a worker has read them: they come again from the outbox', async t => {
  const { fleet, traffic, random } = await stage(t)
  const workers = [fleet.member('fanout1'), fleet.member('fanout2')]
  const { url } = services.kafka
  const topic = `${fleet.prefix}.events`
  const by = random.pick(['time', 'size'] as const)
  t.diagnostic(`retention by ${by}`)
  await traffic.during(async () => {
    await pause(1000)
    await Promise.all(workers.map(worker => worker.kill()))
    const read = await offsets(url, topic, 'next')
    await pause(1500)
    await configureTopic(url, topic, SHORT[by])
    const lost = async () => (await offsets(url, topic, 'first')) > read + BigInt(PARTITIONS)
    await until('Kafka drops events that nobody has read', lost, 30_000)
    await configureTopic(url, topic, {
      'retention.ms': '',
      'retention.bytes': '',
      'segment.ms': ''
    })
    await Promise.all(workers.map(worker => worker.start()))
    await pause(CALM_MS)
  })
  assert.ok((await losses(fleet)) > 0, 'the loss was not told')
  await assertExact(t, fleet, traffic)
})

test('OR-13: the topic is deleted under a running fleet', async t => {
  const { fleet, traffic } = await stage(t)
  await traffic.during(async () => {
    await pause(1000)
    await deleteTopic(services.kafka.url, `${fleet.prefix}.events`)
    await pause(8000)
  })
  assert.ok((await losses(fleet)) > 0, 'the loss was not told')
  for (const user of traffic.users.slice(0, 5)) await traffic.post(user)
  await assertExact(t, fleet, traffic, { settleMs: 30_000 })
})

test('workers come and go while slices are in work', async t => {
  const members = { ...FEW, fanout3: 'fanout' }
  const env = { FANWISE_DELIVERY: 'push' }
  const { fleet, traffic, random } = await stage(t, { members, env })
  const crowd = Array.from({ length: 5000 }, (_, i) => ({ follower: `c${i}`, followee: 'u0' }))
  for (let from = 0; from < crowd.length; from += 1000)
    await fleet.admin.batch({ follows: crowd.slice(from, from + 1000) })
  await traffic.during(async () => {
    for (let n = 0; n < 4; n++) {
      const worker = fleet.member(random.pick(['fanout1', 'fanout2', 'fanout3']))
      await Promise.all(['u0', 'u0', 'u0'].map(user => traffic.post(user)))
      if (random.next() < 0.5) await worker.stop()
      else await worker.kill()
      await pause(random.index(1500))
      await worker.start()
    }
    await pause(2000)
  })
  await assertExact(t, fleet, traffic)
})

test('CC-15: work takes longer than the session of a worker', async t => {
  const { port } = services.redis.servers[0] as { port: number }
  await using proxy = await createProxy(port)
  const slow = { FANWISE_REDIS_URL: `redis://127.0.0.1:${proxy.port}` }
  const { fleet, traffic } = await stage(t, { envOf: { fanout1: slow } })
  await traffic.during(async () => {
    proxy.delay(900)
    await pause(12_000)
    proxy.heal()
    await pause(1000)
  })
  await assertExact(t, fleet, traffic)
})

test('records that are no events are put aside', async t => {
  const { fleet, traffic } = await stage(t)
  await traffic.during(async () => {
    await sendGarbage(services.kafka.url, `${fleet.prefix}.events`, PARTITIONS)
    await pause(2000)
  })
  await assertExact(t, fleet, traffic)
})

test('an event that the topic refuses is given up, and those behind it go on', async t => {
  const { fleet, traffic } = await stage(t)
  await traffic.during(async () => {
    await withClient(fleet.databaseUrl, client => client.query(LARGE_EVENTS))
    await pause(2000)
  })
  await assertExact(t, fleet, traffic)
  assert.equal((await fleet.admin.stats()).outboxDead, 8, 'one in each of these lanes')
})

test('CC-16: posts that the topic refuses reach the feeds once it takes them and they are retried', async t => {
  const { fleet, traffic } = await stage(t)
  const topic = `${fleet.prefix}.events`
  await configureTopic(services.kafka.url, topic, { 'max.message.bytes': '80' })
  for (const user of ['u5', 'u6']) await traffic.post(user)
  const given = async () => (await fleet.admin.stats()).outboxDead === 2
  await until('the posts are given up', given)
  await configureTopic(services.kafka.url, topic, { 'max.message.bytes': '' })
  for (const { id } of (await fleet.admin.deadEvents()).items) await fleet.admin.retryDead(id)
  assert.equal((await fleet.admin.stats()).outboxDead, 0)
  await assertExact(t, fleet, traffic)
})

const LARGE_EVENTS = `
  insert into outbox (aggregateid, type, lane, payload)
    select '1', 'user', lane,
      jsonb_build_object('type', 'user', 'author', 1, 'padding', repeat('x', 2000000))
    from generate_series(0, 7) lane`
