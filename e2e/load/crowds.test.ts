// An author whom very many follow: posting costs as ever, and pushing holds up nobody else.
import assert from 'node:assert/strict'
import test, { after, before, type TestContext } from 'node:test'
import { type Services, startServices } from '../../scripts/services/start-services.ts'
import { quiet, setStage } from '../../testkit/faults.ts'
import type { Fleet, FleetOptions, Member } from '../../testkit/fleet.ts'
import { SESSION_MS, shortSession, until } from '../../testkit/kafka.ts'
import { crowdOf, quantile, scaled, timed } from '../../testkit/load.ts'
import { assertExact, verifyAll } from '../../testkit/outcome.ts'
import { createProxy } from '../../testkit/tcp-proxy.ts'

const CROWD = scaled(50_000)
/** Readers of the crowd whose feeds are warm and compared. */
const WATCHED = 20
const SLICE = 1000
/** How much later each reply of Redis comes: all slices together take twice as long as a session. */
const LATE_MS = Math.max(100, (2 * SESSION_MS * SLICE) / CROWD)

let services: Services<'postgres' | 'redis' | 'kafka'>

before(async () => {
  services = await startServices(['postgres', 'redis', 'kafka'], { useEnvironment: false })
})
after(() => services.stop())

function stage(t: TestContext, more: Partial<FleetOptions>) {
  return setStage(t, {
    ...{ postgresUrl: services.postgres.url, redisUrl: services.redis.url },
    ...{ kafka: services.kafka.url, traffic: { ...quiet, users: 10 } },
    members: { api1: 'api', relay: 'relay,janitor', fanout1: 'fanout', fanout2: 'fanout' },
    ...more
  })
}

/** Some of the crowd, whose feeds are warm then. */
async function watch(fleet: Fleet, crowd: readonly string[]): Promise<string[]> {
  const watched = crowd.filter((_, i) => i % Math.ceil(crowd.length / WATCHED) === 0)
  for (const reader of watched) await fleet.admin.as(reader).feed()
  assert.ok(await fleet.admin.settle(60_000), 'not settled')
  return watched
}

async function newest(fleet: Fleet, reader: string): Promise<string | undefined> {
  return (await fleet.admin.as(reader).feed({ limit: 1 })).items[0]?.id
}

function pushes({ members }: Fleet): Promise<number[]> {
  const workers = members.filter(({ roles }) => roles === 'fanout')
  return Promise.all(workers.map(worker => worker.metric('fanwise_fanout_pushes_total')))
}

test(`a post reaches ${CROWD} followers, and to post costs the same whoever follows (ME-05)`, async t => {
  const { fleet, traffic } = await stage(t, { env: { FANWISE_DELIVERY: 'push' } })
  const crowd = await crowdOf(fleet, 'star', CROWD)
  await crowdOf(fleet, 'known', Math.round(CROWD / 50))
  await fleet.admin.batch({ users: [{ id: 'unknown' }] })
  const watched = await watch(fleet, crowd)
  const ms = await timed(async () => {
    await fleet.admin.as('star').createPost({ content: 'to all' })
    assert.ok(await fleet.admin.settle(60_000), 'not settled')
  })
  t.diagnostic(`${CROWD} followers were reached in ${Math.round(ms)} ms`)
  const authors = ['unknown', 'known', 'star']
  const times = new Map(authors.map(author => [author, [] as number[]]))
  for (let round = 0; round < 20; round++)
    for (const author of authors) {
      const post = () => fleet.admin.as(author).createPost({ content: `round ${round}` })
      times.get(author)?.push(await timed(post))
    }
  const medians = authors.map(author => quantile(times.get(author) ?? [], 0.5))
  t.diagnostic(`median of a POST: ${medians.map(median => median.toFixed(1)).join(', ')} ms`)
  const [ofUnknown = 0, , ofStar = 0] = medians
  assert.ok(ofStar <= 3 * ofUnknown + 10, `${ofStar} ms, and ${ofUnknown} ms without followers`)
  assert.ok(await fleet.admin.settle(120_000), 'not settled')
  assert.equal((await verifyAll(fleet, watched)).differences, 0)
  await assertExact(t, fleet, traffic, { coldAllowed: true })
})

test(`CC-15: pushing to ${CROWD} takes longer than a session, others' posts go on, and a worker dies in the middle`, async t => {
  await using proxy = await createProxy(services.redis.servers[0]?.port as number)
  const through = { FANWISE_REDIS_URL: `redis://127.0.0.1:${proxy.port}` }
  const { fleet, traffic } = await stage(t, {
    env: { FANWISE_DELIVERY: 'push' },
    envOf: { fanout1: through, fanout2: through }
  })
  const crowd = await crowdOf(fleet, 'star', CROWD)
  const watched = await watch(fleet, crowd)
  const workers = [fleet.member('fanout1'), fleet.member('fanout2')]
  await shortSession(services.kafka.url, `${fleet.prefix}.fanout`)
  proxy.delay(LATE_MS)
  const before = await pushes(fleet)
  const takeovers = await told(workers, 'fanwise_fanout_takeovers_total')
  let done = false
  const began = performance.now()
  const { id } = await fleet.admin.as('star').createPost({ content: 'slowly to all' })
  const all = fleet.admin.settle(120_000).then(settled => {
    assert.ok(settled, 'not settled')
    done = true
  })
  const small = traffic.graph.find(({ followee }) => followee !== 'u0')
  assert.ok(small)
  const other = await fleet.admin.as(small.followee).createPost({ content: 'meanwhile' })
  const reached = async () => (await newest(fleet, small.follower)) === other.id
  await until('another author is read', reached, 20_000)
  assert.ok(!done, 'the crowd was reached before')
  await all
  const tookMs = performance.now() - began
  const [after, now] = [await pushes(fleet), await told(workers, 'fanwise_fanout_takeovers_total')]
  const pushed = after.reduce((sum, n, i) => sum + n - (before[i] ?? 0), 0)
  t.diagnostic(`${Math.round(tookMs)} ms for ${pushed} pushes, ${now - takeovers} takeovers`)
  assert.ok(tookMs > SESSION_MS, `${tookMs} ms is no longer than a session`)
  assert.equal(now, takeovers, 'no partition changed hands')
  assert.ok(pushed < 1.1 * CROWD + 100, `each follower once: ${pushed} pushes`)
  for (const reader of watched) assert.equal(await newest(fleet, reader), id)
  const last = await fleet.admin.as('star').createPost({ content: 'through a death' })
  const busy = async () => (await pushes(fleet)).findIndex((n, i) => n > (after[i] ?? 0) + 10)
  await until('a worker pushes', async () => (await busy()) >= 0)
  const victim = workers[await busy()] as Member
  await victim.kill()
  proxy.heal()
  await victim.start()
  assert.ok(await fleet.admin.settle(120_000), 'not settled')
  for (const reader of watched) assert.equal(await newest(fleet, reader), last.id)
  assert.equal((await verifyAll(fleet, watched)).differences, 0)
  await assertExact(t, fleet, traffic, { coldAllowed: true })
})

async function told(members: readonly Member[], metric: string): Promise<number> {
  const values = await Promise.all(members.map(member => member.metric(metric)))
  return values.reduce((sum, value) => sum + value, 0)
}
