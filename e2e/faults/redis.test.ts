// Redis goes, comes back old or empty, forgets its scripts, or swallows all it is sent.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test, { after, before } from 'node:test'
import { type Services, startServices } from '../../scripts/services/start-services.ts'
import { pause, setStage, soakMs } from '../../testkit/faults.ts'
import type { Fleet } from '../../testkit/fleet.ts'
import { assertExact } from '../../testkit/outcome.ts'
import { ask } from '../../testkit/redis.ts'
import { createProxy } from '../../testkit/tcp-proxy.ts'
import type { Traffic } from '../../testkit/traffic.ts'

let services: Services<'postgres' | 'redis'>

before(async () => {
  services = await startServices(['postgres', 'redis'], { useEnvironment: false })
})
after(() => services.stop())

const quiet = { postsPerS: 0, readsPerS: 0, changesPerS: 0 }
const urls = () => ({ postgresUrl: services.postgres.url, redisUrl: services.redis.url })
const server = () => services.redis.servers[0] as (typeof services.redis.servers)[number]

test('Redis comes back with an old snapshot: it is emptied, and nothing old is shown', async t => {
  const { fleet, traffic } = await setStage(t, urls())
  await traffic.during(async () => {
    await pause(2000)
    assert.equal(await ask(services.redis.url, 'SAVE'), 'OK')
    await pause(4000)
    await server().kill()
    await pause(500)
    await server().start()
    await pause(4000)
  })
  assert.match(readFileSync(server().logFile, 'utf8'), /DB loaded from disk|keys loaded: [1-9]/)
  await assertExact(t, fleet, traffic)
})

test('the first pages after a FLUSHALL and a restart are whole, and each feed is built once', async t => {
  const { fleet, traffic } = await setStage(t, {
    ...urls(),
    // Three celebrities: their timelines are built as well.
    env: { FANWISE_THRESHOLD: '60' },
    traffic: { ...quiet, users: 100 }
  })
  const whole = await firstPages(fleet, traffic)
  await assertBoundedBuilds(fleet, traffic, whole, async () => {
    await ask(services.redis.url, 'FLUSHALL')
  })
  await assertBoundedBuilds(fleet, traffic, whole, async () => {
    await server().kill()
    await server().start()
  })
  await assertExact(t, fleet, traffic)
})

async function firstPages(fleet: Fleet, { users }: Traffic): Promise<Map<string, string[]>> {
  const pages = users.map(async user => {
    const page = await fleet.admin.as(user).feed()
    return [user, page.items.map(({ id }) => id)] as const
  })
  return new Map(await Promise.all(pages))
}

async function builds({ members }: Fleet): Promise<number> {
  const counts = members.map(member => member.metric('fanwise_build_seconds_count'))
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
}

/** 1,000 reads of 100 feeds, 50 at a time, by both processes. */
async function assertBoundedBuilds(
  fleet: Fleet,
  { users }: Traffic,
  whole: ReadonlyMap<string, readonly string[]>,
  lose: () => Promise<void>
): Promise<void> {
  const before = await builds(fleet)
  await lose()
  const reads = Array.from({ length: 1000 }, (_, i) => i)
  const work = async () => {
    for (let i = reads.pop(); i !== undefined; i = reads.pop()) {
      const user = users[i % users.length] as string
      const page = await fleet.apis[i % fleet.apis.length]?.as(user).feed()
      assert.deepEqual(
        page?.items.map(({ id }) => id),
        whole.get(user)
      )
    }
  }
  await Promise.all(Array.from({ length: 50 }, work))
  assert.ok(await fleet.admin.settle(20_000))
  const made = (await builds(fleet)) - before
  assert.ok(made > 0 && made <= users.length + 3, `${made} builds of ${users.length} feeds`)
}

test('scripts are flushed all the time, and gone after a restart', async t => {
  const { fleet, traffic } = await setStage(t, urls())
  await traffic.during(async () => {
    for (let n = 0; n < 80; n++) {
      await ask(services.redis.url, 'SCRIPT', 'FLUSH')
      await pause(50)
    }
    await server().kill()
    await server().start()
    await pause(3000)
  })
  await assertExact(t, fleet, traffic)
})

test('Redis swallows all that it is sent: answers within 2 s, and posts are taken', async t => {
  await using proxy = await createProxy(server().port)
  const redisUrl = `redis://127.0.0.1:${proxy.port}`
  const { fleet, traffic } = await setStage(t, { ...urls(), redisUrl })
  const rss = () => Promise.all(fleet.members.map(member => member.metric(RSS)))
  await traffic.during(async () => {
    await pause(2000)
    const before = await rss()
    const posts = traffic.report.posts
    traffic.report.slowestMs.read = 0
    traffic.report.slowestMs.write = 0
    proxy.blackhole()
    await pause(soakMs(20))
    const { read, write } = traffic.report.slowestMs
    assert.ok(Math.max(read, write) < 2000, `slowest read ${read} ms, write ${write} ms`)
    assert.ok(traffic.report.posts > posts, 'posts are taken')
    for (const [i, bytes] of (await rss()).entries())
      assert.ok(
        bytes - (before[i] as number) < 100e6,
        `it grew by ${bytes - (before[i] as number)} bytes`
      )
    proxy.heal()
    await pause(2000)
  })
  await assertExact(t, fleet, traffic)
})

const RSS = 'process_resident_memory_bytes'
