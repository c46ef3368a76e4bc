// Many readers at once whose feeds are gone.
import assert from 'node:assert/strict'
import test from 'node:test'
import { startServices } from '../../scripts/services/start-services.ts'
import { quiet, setStage } from '../../testkit/faults.ts'
import type { Fleet } from '../../testkit/fleet.ts'
import { quantile, scaled, timed } from '../../testkit/load.ts'
import { assertExact } from '../../testkit/outcome.ts'
import { ask } from '../../testkit/redis.ts'

const USERS = Math.max(20, scaled(200))
const READS = 20

async function builds({ members }: Fleet): Promise<number> {
  const counts = members.map(member => member.metric('fanwise_build_seconds_count'))
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
}

test(`RB-07: ${USERS} users read ${READS} times each at once, all feeds gone: each is built once`, async t => {
  await using services = await startServices(['postgres', 'redis'], { useEnvironment: false })
  const { fleet, traffic } = await setStage(t, {
    postgresUrl: services.postgres.url,
    redisUrl: services.redis.url,
    // Nobody is pulled, so that each build is one of a feed.
    env: { FANWISE_DELIVERY: 'push' },
    traffic: { ...quiet, users: USERS }
  })
  const before = await builds(fleet)
  await ask(services.redis.url, 'FLUSHALL')
  const reads = Array.from({ length: USERS * READS }, (_, i) => traffic.users[i % USERS] as string)
  const readMs: number[] = []
  const postMs: number[] = []
  const author = fleet.admin.as('u0')
  let reading = true
  const posting = async () => {
    while (reading) postMs.push(await timed(() => author.createPost({ content: 'meanwhile' })))
  }
  const read = async (user: string, i: number) => {
    const api = fleet.apis[i % fleet.apis.length]?.admin.as(user)
    readMs.push(await timed(async () => assert.ok((await api?.feed())?.items.length)))
  }
  const all = Promise.all(reads.map(read)).finally(() => {
    reading = false
  })
  await Promise.all([all, posting()])
  assert.ok(await fleet.admin.settle(30_000), 'not settled')
  const made = (await builds(fleet)) - before
  t.diagnostic(
    `${reads.length} reads, p50 ${Math.round(quantile(readMs, 0.5))} ms, p99 ${Math.round(quantile(readMs, 0.99))} ms; ` +
      `${postMs.length} posts, p99 ${Math.round(quantile(postMs, 0.99))} ms; ${made} builds`
  )
  assert.ok(made > 0 && made <= USERS, `${made} builds of ${USERS} feeds`)
  assert.ok(postMs.length > 0, 'people can post meanwhile')
  await assertExact(t, fleet, traffic)
})
