// Redis goes, comes back old or empty, forgets its scripts, or swallows all it is sent.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test, { after, before } from 'node:test'
import { withClient } from '../../packages/server/src/adapters/postgres/bundled/with-client.ts'
import { type Services, startServices } from '../../scripts/services/start-services.ts'
import { pause, quiet, setStage } from '../../testkit/faults.ts'
import type { Fleet, Member } from '../../testkit/fleet.ts'
import { until } from '../../testkit/kafka.ts'
import { assertExact } from '../../testkit/outcome.ts'
import { ask } from '../../testkit/redis.ts'
import { createProxy } from '../../testkit/tcp-proxy.ts'
import type { Traffic } from '../../testkit/traffic.ts'

let services: Services<'postgres' | 'redis'>

before(async () => {
  services = await startServices(['postgres', 'redis'], { useEnvironment: false })
})
after(() => services.stop())

/** Many posts, each of which is read by its author at once. */
const BUSY = { postsPerS: 80, readsPerS: 10 }

const urls = () => ({ postgresUrl: services.postgres.url, redisUrl: services.redis.url })
const server = () => services.redis.servers[0] as (typeof services.redis.servers)[number]

test('RB-01: Redis comes back with an old snapshot: it is emptied, and nothing old is shown', async t => {
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

test('RB-01: the first pages after a FLUSHALL and a restart are whole, and each feed is built once', async t => {
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
    return [user, await firstPage(fleet.members[0] as Member, user)] as const
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

test('OR-04: scripts are flushed every 50 ms during 500 posts, and gone after a restart', async t => {
  const { fleet, traffic } = await setStage(t, { ...urls(), traffic: BUSY })
  await traffic.during(async () => {
    while (traffic.report.posts < 500) {
      await ask(services.redis.url, 'SCRIPT', 'FLUSH')
      await pause(50)
    }
    await server().kill()
    await server().start()
    await pause(3000)
  })
  await assertExact(t, fleet, traffic)
})

test('OR-02: Redis restarts 10 times during 1,000 posts', async t => {
  const { fleet, traffic, random } = await setStage(t, { ...urls(), traffic: BUSY })
  const posts = traffic.report.posts
  await traffic.during(async () => {
    for (let restart = 1; restart <= 10; restart++) {
      await until('posts are taken', () => traffic.report.posts >= posts + 100 * restart, 60_000)
      if (random.next() < 0.5) await server().kill()
      else await server().stop()
      await server().start()
    }
    await pause(3000)
  })
  await assertExact(t, fleet, traffic)
})

test('RB-01 FL-07 RB-08: keys vanish one by one while people post, follow and read', async t => {
  const { fleet, traffic } = await setStage(t, { ...urls(), traffic: { changesPerS: 20 } })
  await traffic.during(async () => {
    for (let n = 0; n < 300; n++) {
      const key = await ask(services.redis.url, 'RANDOMKEY')
      if (typeof key === 'string') await ask(services.redis.url, 'UNLINK', key)
      await pause(15)
    }
    await pause(1000)
  })
  await assertExact(t, fleet, traffic)
})

test('RB-03 RB-05: a process dies while it builds a feed: pages are whole, and another one builds it', async t => {
  await using proxy = await createProxy(services.postgres.servers[0]?.port as number)
  const { fleet, traffic } = await setStage(t, {
    ...urls(),
    traffic: quiet,
    databasePorts: { all2: proxy.port }
  })
  const reader = 'u5'
  const [other, dying] = [fleet.member('all1'), fleet.member('all2')]
  const whole = await firstPage(other, reader)
  await ask(services.redis.url, 'FLUSHALL')
  proxy.delay(500)
  const cut = firstPage(dying, reader).catch(() => [])
  const mark = () => lastEntry(fleet, reader)
  await until('it builds', async () => (await mark()).startsWith('b'))
  await dying.kill()
  await cut
  assert.deepEqual(await firstPage(other, reader), whole, 'while nobody builds it')
  assert.match(await mark(), /^b/, 'nobody builds it')
  const built = async () => {
    assert.deepEqual(await firstPage(other, reader), whole)
    return /^[^b]/.test(await mark())
  }
  await until('another process builds it', built, BUILD_MS + 5000)
  proxy.heal()
  await dying.start()
  await assertExact(t, fleet, traffic, { coldAllowed: true })
})

/** Longest life of a feed whose builder died. */
const BUILD_MS = 10_000

async function firstPage(member: Member, user: string): Promise<string[]> {
  return (await member.as(user).feed()).items.map(({ id }) => id)
}

/** Of a reader's list of ids: the marker, if nothing was cut off. */
async function lastEntry({ databaseUrl, prefix }: Fleet, user: string): Promise<string> {
  const { rows } = await withClient(databaseUrl, client =>
    client.query<{ number: string }>('select number::text from users where id = $1', [user])
  )
  const key = `${prefix}:feed:{${rows[0]?.number}}`
  return String((await ask(services.redis.url, 'LINDEX', key, '-1')) ?? '')
}
