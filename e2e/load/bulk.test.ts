// Much at once from single users: an account that goes, follows in bulk, likes of the same posts, a sparse home feed.
import assert from 'node:assert/strict'
import test, { after, before, type TestContext } from 'node:test'
import { withClient } from '../../packages/server/src/adapters/postgres/bundled/with-client.ts'
import { type Services, startServices } from '../../scripts/services/start-services.ts'
import { atOnce, quiet, setStage } from '../../testkit/faults.ts'
import type { Fleet } from '../../testkit/fleet.ts'
import { until } from '../../testkit/kafka.ts'
import { crowdOf, historyOf, quantile, scaled, timed } from '../../testkit/load.ts'
import { assertExact, verifyAll } from '../../testkit/outcome.ts'

let services: Services<'postgres' | 'redis'>

before(async () => {
  services = await startServices(['postgres', 'redis'], { useEnvironment: false })
})
after(() => services.stop())

function stage(t: TestContext, env: Record<string, string> = {}) {
  return setStage(t, {
    ...{ postgresUrl: services.postgres.url, redisUrl: services.redis.url, env },
    traffic: { ...quiet, users: 10 }
  })
}

async function one<T>({ databaseUrl }: Fleet, sql: string, values: unknown[] = []): Promise<T> {
  const { rows } = await withClient(databaseUrl, client => client.query(sql, values))
  return Object.values(rows[0] ?? {})[0] as T
}

const POSTS = scaled(5000)
const FOLLOWERS = scaled(2000)

test(`DE-07: an account with ${POSTS} posts and ${FOLLOWERS} followers goes at once, and others are not held up`, async t => {
  const { fleet, traffic } = await stage(t)
  const crowd = await crowdOf(fleet, 'leaver', FOLLOWERS)
  await historyOf(fleet, 'leaver', POSTS)
  assert.ok(await fleet.admin.settle(60_000), 'not settled')
  const [reader = ''] = crowd
  await fleet.admin.as(reader).follow('u0')
  assert.ok(
    (await fleet.admin.as(reader).feed()).items.some(({ author }) => author.id === 'leaver')
  )
  const ms = await timed(() => fleet.admin.as('leaver').deleteMe())
  const seenMs = await timed(async () => {
    const { id } = await fleet.admin.as('u0').createPost({ content: 'meanwhile' })
    const seen = async () => (await fleet.admin.as(reader).feed()).items[0]?.id === id
    await until('another author is read', seen, 5000)
  })
  t.diagnostic(
    `deleted in ${Math.round(ms)} ms; meanwhile a post was read after ${Math.round(seenMs)} ms`
  )
  assert.ok(ms < 2000, `the answer took ${ms} ms`)
  for (const follower of crowd.slice(0, 20)) {
    const { items } = await fleet.admin.as(follower).feed()
    assert.ok(items.every(({ author }) => author.id !== 'leaver'))
  }
  const left = () =>
    one<number>(
      fleet,
      "select count(*)::int from posts where content like 'leaver %' and deleted_at is null"
    )
  await until('its posts are cleaned away', async () => (await left()) === 0, 120_000)
  assert.equal((await verifyAll(fleet, crowd.slice(0, 20))).differences, 0)
  await assertExact(t, fleet, traffic)
})

test('FL-08: the same follows three times at once, and one request too many', async t => {
  const { fleet, traffic } = await stage(t, { FANWISE_FOLLOWS_MAX: '20' })
  const authors = Array.from({ length: 35 }, (_, i) => `a${i}`)
  await fleet.admin.batch({ users: [...authors, 'fan'].map(id => ({ id })) })
  for (const author of authors) await fleet.admin.as(author).createPost({ content: author })
  const follows = (from: number, to: number) =>
    authors.slice(from, to).map(followee => ({ follower: 'fan', followee }))
  await fleet.admin.batch({ follows: follows(0, 10) })
  await fleet.admin.as('fan').feed()
  const postMs: number[] = []
  let over = false
  const others = async () => {
    while (!over)
      postMs.push(await timed(() => fleet.admin.as('u0').createPost({ content: 'meanwhile' })))
  }
  const batches = [0, 1, 2].map(i => fleet.apis[i % 2]?.admin.batch({ follows: follows(0, 20) }))
  const following = Promise.all(batches).finally(() => {
    over = true
  })
  const [results] = await Promise.all([following, others()])
  t.diagnostic(
    `meanwhile ${postMs.length} posts, the slowest ${Math.round(Math.max(...postMs))} ms`
  )
  assert.ok(Math.max(...postMs) < 2000, 'others wait')
  const made = results.reduce((sum, result) => sum + (result?.created.follows ?? 0), 0)
  assert.equal(made, 10)
  const tooMany = await fleet.admin.batch({ follows: follows(20, 35) })
  assert.deepEqual([tooMany.created.follows, tooMany.skipped.follows], [0, 15])
  assert.ok(await fleet.admin.settle(20_000), 'not settled')
  assert.equal((await fleet.admin.as('fan').getUser('fan')).counts.following, 20)
  assert.equal((await fleet.admin.as('fan').feed({ limit: 100 })).items.length, 20)
  assert.equal((await verifyAll(fleet, ['fan'])).differences, 0)
  await assertExact(t, fleet, traffic)
})

const LIKERS = scaled(400)

test(`CT-05: ${LIKERS} like the same posts in either order, while these are edited: no deadlock`, async t => {
  const { fleet, traffic } = await stage(t)
  const author = fleet.admin.as('u0')
  const posts = [
    await author.createPost({ content: 'p1' }),
    await author.createPost({ content: 'p2' })
  ]
  const ids = posts.map(({ id }) => id)
  const people = Array.from({ length: LIKERS }, (_, i) => `l${i}`)
  await atOnce(1, Math.ceil(LIKERS / 1000), i =>
    fleet.admin.batch({ users: people.slice(i * 1000, (i + 1) * 1000).map(id => ({ id })) })
  )
  const before = await one<string>(fleet, DEADLOCKS)
  const ms: number[] = []
  await atOnce(40, LIKERS, async i => {
    const [user = '', api] = [people[i], fleet.apis[i % fleet.apis.length]?.admin]
    const order = i % 2 === 0 ? ids : ids.toReversed()
    ms.push(await timed(async () => api?.batch({ likes: order.map(post => ({ user, post })) })))
    if (i % 10 === 0) await author.editPost(ids[(i / 10) % 2] as string, { content: `edit ${i}` })
  })
  t.diagnostic(`p99 ${Math.round(quantile(ms, 0.99))} ms`)
  assert.ok(await fleet.admin.settle(20_000), 'not settled')
  for (const id of ids) assert.equal((await author.getPost(id)).counts.likes, LIKERS)
  assert.equal(await one<string>(fleet, DEADLOCKS), before)
  await assertExact(t, fleet, traffic)
})

const DEADLOCKS = 'select deadlocks::text from pg_stat_database where datname = current_database()'
