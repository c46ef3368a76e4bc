import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openWorld, type PageWorld } from '../../../../testkit/page-world.ts'
import { patch } from '../../../../testkit/patch.ts'
import type { Limits } from '../domain/limits.ts'
import { BEGINNING, END } from '../domain/post-id.ts'
import type { Push } from '../ports/feeds.ts'
import { backfill } from './backfill.ts'
import { backfillMany } from './backfill-many.ts'

/** ann's feed, and bob, whom she follows, with three old posts. */
async function setUp(t: TestContext, limits: Partial<Limits> = {}) {
  const world = await openWorld(t, 'memory', limits)
  const [ann, bob] = (await world.users('ann', 'bob')) as [number, number]
  const times = [3, 2, 1].map(minutes => world.clock.now() - minutes * 60_000)
  const ids: string[] = []
  for (const time of times) ids.push(await imported(world, bob, time))
  await world.store.follow(ann, bob)
  const feed = `feed:${ann}` as const
  const take = () => world.feeds.take(feed, END, 100)
  return { world, ann, bob, ids: ids.toReversed(), feed, take }
}

async function imported(world: PageWorld, author: number, createdAt: number): Promise<string> {
  const post = { author, content: 'old', attrs: {}, createdAt, externalId: null }
  const [made] = await world.store.importPosts([post])
  return made!.id
}

test('a cold feed stays cold', async t => {
  const { world, ann, bob, take } = await setUp(t)
  assert.equal(await backfill(world, ann, bob), 'none')
  assert.equal((await take()).state, 'cold')
})

test('a warm feed gets the posts above its floor, in their place', async t => {
  const { world, ann, bob, ids, feed, take } = await setUp(t)
  await world.feeds.begin(feed, 'x')
  await world.feeds.finish(feed, 'x', ids.slice(2), false)
  assert.equal((await take()).floor, ids[2])
  assert.equal(await backfill(world, ann, bob), 'pushed')
  assert.deepEqual((await take()).ids, ids.slice(0, 2))
  assert.equal((await take()).floor, ids[2])
})

test('a feed that is being built gets all of them', async t => {
  const { world, ann, bob, ids, feed, take } = await setUp(t)
  await world.feeds.begin(feed, 'x')
  assert.equal(await backfill(world, ann, bob), 'pushed')
  await world.feeds.finish(feed, 'x', [], true)
  assert.deepEqual((await take()).ids, ids)
  assert.equal((await take()).floor, BEGINNING)
})

test('authors in pull are merged on read, not backfilled; those in both are', async t => {
  const { world, ann, bob, ids, feed, take } = await setUp(t)
  await world.deliverBy(bob, 'pull')
  await world.feeds.begin(feed, 'x')
  await world.feeds.finish(feed, 'x', [], true)
  assert.equal(await backfill(world, ann, bob), 'none')
  assert.deepEqual((await take()).ids, [])
  await world.deliverBy(bob, 'push')
  await world.deliverBy(bob, 'both')
  assert.equal(await backfill(world, ann, bob), 'pushed')
  assert.deepEqual((await take()).ids, ids)
})

test('more posts than the cap: the feed is dropped, for it would lose some without a floor', async t => {
  const { world, ann, bob, feed, take } = await setUp(t, { cap: 2 })
  await world.feeds.begin(feed, 'x')
  await world.feeds.finish(feed, 'x', [], true)
  assert.equal(await backfill(world, ann, bob), 'dropped')
  assert.equal((await take()).state, 'cold')
})

test('the order is delivery, floor, posts; they go out late, oldest first', async t => {
  const { world, ann, bob, ids, feed } = await setUp(t)
  await world.feeds.begin(feed, 'x')
  await world.feeds.finish(feed, 'x', [], true)
  const { store, feeds } = world
  const calls: string[] = []
  let pushes: readonly Push[] = []
  const note = <A extends unknown[], R>(name: string, method: (...args: A) => R) => {
    return (...args: A): R => {
      calls.push(name)
      return method(...args)
    }
  }
  const watched = {
    limits: world.limits,
    store: patch(store, {
      deliveryOf: note('delivery', authors => store.deliveryOf(authors)),
      idsByAuthor: note('posts', (...args) => store.idsByAuthor(...args))
    }),
    feeds: patch(feeds, {
      lowestFloor: note('floor', list => feeds.lowestFloor(list)),
      async push(all) {
        pushes = all
        return []
      }
    })
  }
  await backfill(watched, ann, bob)
  assert.deepEqual(calls, ['delivery', 'floor', 'posts'])
  assert.deepEqual(
    pushes,
    ids.toReversed().map(id => ({ list: feed, id, late: true }))
  )
})

test('the floor that counts is the lowest that the list can come to', async t => {
  const { world, ann, bob, feed, take } = await setUp(t, { cap: 3, slack: 0 })
  const { feeds, clock } = world
  const push = (id: string) => feeds.push([{ list: feed, id }])
  const busy = await world.users('busy')
  // A floor in the future: 30 s above the oldest of what a busy feed kept.
  await feeds.begin(feed, 'x')
  await feeds.finish(feed, 'x', [], true)
  for (let i = 0; i < 4; i++) await push(await imported(world, busy[0]!, clock.now() - i))
  await feeds.settle(feed)
  // An in-time id of 13 s ago: once the marker is trimmed away the floor is 30 s above that one.
  await push(await imported(world, busy[0]!, clock.now() - 13_000))
  await clock.advance(20_000)
  const post = await imported(world, bob, clock.now())
  await clock.advance(20_000)
  await backfill(world, ann, bob)
  await push(await imported(world, busy[0]!, clock.now()))
  const { floor, ids } = await take()
  assert.ok(floor < post, 'the marker is gone')
  assert.ok(ids.includes(post))
})

test('many follows: each reader has their own, and pull is left out', async t => {
  const { world, ann, bob, ids } = await setUp(t, { backfillAuthors: 1 })
  const [cleo, dan, eve] = (await world.users('cleo', 'dan', 'eve')) as [number, number, number]
  await world.deliverBy(eve, 'pull')
  await imported(world, eve, world.clock.now() - 5000)
  for (const reader of [ann, cleo, dan]) {
    await world.feeds.begin(`feed:${reader}`, 'x')
    await world.feeds.finish(`feed:${reader}`, 'x', [], true)
  }
  await backfillMany(world, [
    { reader: ann, author: bob },
    { reader: ann, author: eve },
    { reader: cleo, author: eve },
    { reader: dan, author: bob },
    { reader: dan, author: ann },
    { reader: eve, author: bob }
  ])
  const idsOf = async (reader: number) => (await world.feeds.take(`feed:${reader}`, END, 9)).ids
  assert.deepEqual(await idsOf(ann), ids)
  assert.deepEqual(await idsOf(cleo), [])
  const states = [dan, eve].map(reader => world.feeds.take(`feed:${reader}`, END, 9))
  assert.deepEqual(
    (await Promise.all(states)).map(({ state }) => state),
    ['cold', 'cold']
  )
  await backfillMany(world, [])
})
