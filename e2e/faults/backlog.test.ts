// Workers are away while people post, follow and unfollow; then they find all of it at once.
import assert from 'node:assert/strict'
import test, { after, before, type TestContext } from 'node:test'
import { withClient } from '../../packages/server/src/adapters/postgres/bundled/with-client.ts'
import { type Services, startServices } from '../../scripts/services/start-services.ts'
import { atOnce, quiet, setStage } from '../../testkit/faults.ts'
import type { Fleet } from '../../testkit/fleet.ts'
import { until } from '../../testkit/kafka.ts'
import { assertExact, verifyAll } from '../../testkit/outcome.ts'

let services: Services<'postgres' | 'redis' | 'kafka'>

before(async () => {
  services = await startServices(['postgres', 'redis', 'kafka'], { useEnvironment: false })
})
after(() => services.stop())

function stage(t: TestContext, env: Record<string, string> = {}) {
  return setStage(t, {
    ...{ postgresUrl: services.postgres.url, redisUrl: services.redis.url },
    ...{ kafka: services.kafka.url, env, traffic: { ...quiet, users: 10 } },
    members: { api1: 'api', relay: 'relay,janitor', fanout1: 'fanout', fanout2: 'fanout' }
  })
}

function workersOf(fleet: Fleet) {
  return [fleet.member('fanout1'), fleet.member('fanout2')] as const
}

async function ids(fleet: Fleet, reader: string): Promise<string[]> {
  return (await fleet.admin.as(reader).feed({ limit: 100 })).items.map(({ id }) => id)
}

async function post(fleet: Fleet, author: string): Promise<string> {
  return (await fleet.admin.as(author).createPost({ content: `of ${author}` })).id
}

async function settle({ admin }: Fleet): Promise<void> {
  assert.ok(await admin.settle(30_000), 'not settled')
}

test('FL-02 FO-06 DE-06: an unfollow overtakes posts that wait, and each lands in its own place', async t => {
  const { fleet, traffic } = await stage(t)
  const [reader, left, kept] = ['reader', 'left', 'kept'] as const
  const follow = (followee: string) => fleet.admin.as(reader).follow(followee)
  await fleet.admin.batch({ users: [reader, left, kept].map(id => ({ id })) })
  for (const author of [left, kept]) await follow(author)
  const first = await post(fleet, left)
  await settle(fleet)
  assert.deepEqual(await ids(fleet, reader), [first])
  const [worker1, worker2] = workersOf(fleet)
  await Promise.all([worker1.kill(), worker2.kill()])
  const waiting = [await post(fleet, left), await post(fleet, kept), await post(fleet, left)]
  const doomed = await post(fleet, kept)
  const api = fleet.admin.as(kept)
  const [edit] = await Promise.allSettled([
    api.editPost(doomed, { content: 'edited' }),
    api.deletePost(doomed)
  ])
  assert.ok(edit.status === 'fulfilled' || edit.reason.status === 404, 'no 5xx')
  await fleet.admin.as(reader).unfollow(left)
  await worker2.start()
  await worker1.start()
  await settle(fleet)
  assert.deepEqual(await ids(fleet, reader), [waiting[1]])
  for (const step of ['follow', 'unfollow', 'follow'] as const)
    await fleet.admin.as(reader)[step](left)
  await settle(fleet)
  assert.deepEqual(await ids(fleet, reader), [...waiting.toReversed(), first])
  assert.equal((await verifyAll(fleet, [reader])).differences, 0)
  await assertExact(t, fleet, traffic, { coldAllowed: true })
})

test('FO-08: many push into one small feed at once while its reader follows more authors', async t => {
  const { fleet, traffic } = await stage(t, { FANWISE_CAP: '10' })
  const authors = Array.from({ length: 25 }, (_, i) => `a${i}`)
  const follows = authors.slice(0, 20).map(followee => ({ follower: 'reader', followee }))
  await fleet.admin.batch({ users: authors.map(id => ({ id })), follows })
  await settle(fleet)
  await ids(fleet, 'reader')
  await settle(fleet)
  await Promise.all([
    atOnce(8, 125, i => post(fleet, authors[i % authors.length] as string)),
    atOnce(1, 5, i => fleet.admin.as('reader').follow(authors[20 + i] as string))
  ])
  await settle(fleet)
  const report = await verifyAll(fleet, ['reader'])
  assert.equal(report.differences, 0, JSON.stringify(report.examples))
  const walk = await ids(fleet, 'reader')
  assert.deepEqual(walk, walk.toSorted().toReversed())
  assert.equal(new Set(walk).size, 100)
  // Workers that change hands drop what was at work: few readers, and all may be cold.
  await assertExact(t, fleet, traffic, { coldAllowed: true })
})

test('FO-01: an author crosses the threshold up and down while pushes wait', async t => {
  const { fleet, traffic } = await stage(t, { FANWISE_THRESHOLD: '4' })
  const readers = ['v1', 'v2', 'v3', 'v4']
  await fleet.admin.batch({ users: ['star', ...readers].map(id => ({ id })) })
  const posts: string[] = []
  const say = async () => {
    posts.unshift(await post(fleet, 'star'))
  }
  const follow = (reader: string, how: 'follow' | 'unfollow') => fleet.admin.as(reader)[how]('star')
  for (const reader of ['v1', 'v2']) await follow(reader, 'follow')
  await say()
  await settle(fleet)
  for (const reader of readers) await ids(fleet, reader)
  await settle(fleet)
  const workers = workersOf(fleet)
  for (const { server } of workers) server.pause()
  await say()
  for (const reader of ['v3', 'v4']) await follow(reader, 'follow')
  await say()
  for (const { server } of workers) server.resume()
  await say()
  await until('star is pulled', () => isDelivered(fleet, 'star', 'pull'))
  await say()
  for (const { server } of workers) server.pause()
  await say()
  for (const reader of ['v3', 'v4']) await follow(reader, 'unfollow')
  await say()
  for (const { server } of workers) server.resume()
  await until('star is pushed', () => isDelivered(fleet, 'star', 'push'))
  await say()
  await settle(fleet)
  for (const reader of ['v1', 'v2']) assert.deepEqual(await ids(fleet, reader), posts)
  assert.equal((await verifyAll(fleet, readers)).differences, 0)
  // Workers that change hands drop what was at work: few readers, and all may be cold.
  await assertExact(t, fleet, traffic, { coldAllowed: true })
})

async function isDelivered({ databaseUrl }: Fleet, user: string, how: string): Promise<boolean> {
  return withClient(databaseUrl, async client => {
    const sql = 'select delivery from users where id = $1'
    const { rows } = await client.query<{ delivery: string }>(sql, [user])
    return rows[0]?.delivery === how
  })
}
