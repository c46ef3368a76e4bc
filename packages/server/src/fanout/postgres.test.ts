// The stages over the real Store: what its SQL does with lanes, cuts, delivery and dead events.
import assert from 'node:assert/strict'
import test from 'node:test'
import { openWriteWorld, type WriteWorld } from '../../../../testkit/write-world.ts'
import { END } from '../domain/post-id.ts'
import { cleanCuts } from '../janitor/clean-cuts.ts'
import { importBatch } from '../publish/import-batch.ts'
import { deletePost } from '../publish/posts.ts'
import { setStatus } from '../publish/users.ts'
import { policyOnce } from './policy.ts'
import { createSwitches } from './switches.ts'

async function expectOracle(world: WriteWorld, ...readers: readonly number[]): Promise<void> {
  await world.settle()
  for (const reader of readers) {
    const oracle = await world.store.oracle(reader, END, 1000)
    assert.deepEqual(await world.pages.walk(reader, 3), oracle)
  }
}

test('posts, follows, cuts and deletes end in feeds that equal the oracle', async t => {
  const world = await openWriteWorld(t, { slice: 1, cutMs: 0 }, 'postgres')
  const [a, b, c] = (await world.users('a', 'b', 'c')) as [number, number, number]
  for (const reader of [b, c]) await world.change('follow', reader, a)
  await world.settle()
  for (const reader of [a, b, c]) await world.pages.build(`feed:${reader}`)
  const ids = [await world.post(a), await world.post(b), await world.post(a)]
  await expectOracle(world, a, b, c)
  assert.deepEqual(await world.warm(`feed:${c}`), [ids[2], ids[0]])
  await deletePost(world, a, ids[0] ?? '')
  await world.change('unfollow', c, a)
  await expectOracle(world, a, b, c)
  assert.equal(await cleanCuts(world, 10), 1)
  assert.equal(await world.warm(`feed:${c}`), null)
  await setStatus(world, a, 'suspended')
  await expectOracle(world, b, c)
  await setStatus(world, a, 'active')
  await expectOracle(world, a, b, c)
  assert.equal(await world.store.outboxPending(), 0)
})

test('an author goes up to pull and down to push', async t => {
  const world = await openWriteWorld(t, { threshold: 3, cap: 50 }, 'postgres')
  const [star, ...readers] = (await world.users('star', 'a', 'b', 'c')) as [number, ...number[]]
  for (const reader of readers) await world.change('follow', reader, star)
  for (const reader of readers) await world.pages.build(`feed:${reader}`)
  await world.settle()
  await world.store.flushCounts(1000)
  const switches = createSwitches(world)
  assert.equal(await policyOnce(world), 1)
  await world.post(star)
  await expectOracle(world, ...readers)
  await switches.confirmOnce()
  await world.clock.advance(world.limits.graceMs)
  await switches.confirmOnce()
  assert.equal(await world.deliveryOf(star), 'pull')
  await world.post(star)
  await expectOracle(world, ...readers)
  for (const reader of readers.slice(1)) await world.change('unfollow', reader, star)
  await world.settle()
  await world.store.flushCounts(1000)
  assert.equal(await policyOnce(world), 1)
  assert.equal(await world.deliveryOf(star), 'push')
  await world.post(star)
  await expectOracle(world, ...readers)
})

test('policies push and pull are numbers that PostgreSQL takes', async t => {
  const world = await openWriteWorld(t, {}, 'postgres')
  const [user] = (await world.users('user')) as [number]
  const pull = { ...world, limits: { ...world.limits, delivery: 'pull' } } as const
  const push = { ...world, limits: { ...world.limits, delivery: 'push' } } as const
  assert.equal(await policyOnce(push), 0)
  assert.equal(await policyOnce(pull), 1)
  assert.equal(await policyOnce(pull), 0)
  assert.equal(await world.deliveryOf(user), 'both')
  assert.equal(await policyOnce(push), 1)
  assert.equal(await world.deliveryOf(user), 'push')
})

test('an import twice, a poison event and its dead row', async t => {
  const world = await openWriteWorld(t, {}, 'postgres')
  const createdAt = Date.now() - 1000
  const posts = [{ author: 'a', content: 'x', createdAt, externalId: '1' }]
  const follows = [{ follower: 'b', followee: 'a' }]
  const likes = [{ user: 'b', author: 'a', externalId: '1' }]
  const first = await importBatch(world, { posts, follows, likes })
  assert.deepEqual(first.created, { users: 2, follows: 1, posts: 1, likes: 1 })
  const again = await importBatch(world, { posts, follows, likes })
  assert.deepEqual(again.created, { users: 0, follows: 0, posts: 0, likes: 0 })
  assert.deepEqual(again.postIds, first.postIds)
  world.faults.feeds.push = () => Promise.reject(new TypeError('poison'))
  let settled = false
  const work = world.settle().finally(() => {
    settled = true
  })
  // The database takes time of its own; this clock is moved for those alone who sleep by it.
  while (!settled) await world.clock.advance(world.clock.sleeping > 0 ? 1000 : 0)
  await work
  const stats = await world.store.stats()
  assert.deepEqual([stats.outboxDead, stats.outboxPending], [1, 0])
})
