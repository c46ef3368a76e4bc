import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openWorld, SILENT } from '../../../../testkit/page-world.ts'
import { patch } from '../../../../testkit/patch.ts'
import { BEGINNING, END } from '../domain/post-id.ts'
import type { Store } from '../ports/store.ts'
import { type BuildContext, buildFeed, buildTimeline } from './build.ts'

async function setUp(t: TestContext) {
  const world = await openWorld(t)
  const { store, feeds, clock, limits } = world
  const context: BuildContext = { store, feeds, clock, limits, telemetry: SILENT }
  const [ann, bob, cleo] = (await world.users('ann', 'bob', 'cleo')) as [number, number, number]
  const post = async (author: number) => {
    await clock.advance(1)
    return (await store.publish({ author, content: 'text', attrs: {} })).value.post.id
  }
  const take = () => feeds.take(`feed:${ann}`, END, 100)
  /** The same context with another Store in part. */
  const withStore = (changes: Partial<Store>) => ({ ...context, store: patch(store, changes) })
  return { world, store, feeds, limits, clock, context, ann, bob, cleo, post, take, withStore }
}

test('a feed is built of the own posts and those of followees, to the beginning', async t => {
  const { store, context, ann, bob, cleo, post, take } = await setUp(t)
  await store.follow(ann, bob)
  const ids = [await post(ann), await post(bob), await post(ann)]
  await post(cleo)
  assert.equal(await buildFeed(context, ann), 'built')
  const taken = await take()
  assert.deepEqual(taken, {
    state: 'warm',
    ids: ids.toReversed(),
    floor: BEGINNING,
    unsettled: false
  })
})

test('exactly the cap is complete, one more is not', async t => {
  const { feeds, limits, context, ann, post, take } = await setUp(t)
  const ids = []
  for (let i = 0; i < limits.cap; i++) ids.push(await post(ann))
  await buildFeed(context, ann)
  assert.equal((await take()).floor, BEGINNING)
  await feeds.drop([`feed:${ann}`])
  ids.push(await post(ann))
  await buildFeed(context, ann)
  assert.equal((await take()).floor, ids[0])
  assert.deepEqual((await take()).ids, ids.slice(1).reverse())
})

test('followees in pull are in as well: the cap counts the whole feed', async t => {
  const { world, store, context, ann, bob, cleo, post, take } = await setUp(t)
  for (const author of [bob, cleo]) await store.follow(ann, author)
  await world.deliverBy(bob, 'pull')
  await world.deliverBy(cleo, 'both')
  const ids = [await post(bob), await post(cleo)]
  await buildFeed(context, ann)
  assert.deepEqual((await take()).ids, ids.reverse())
})

test('a timeline is built of one author', async t => {
  const { feeds, context, bob, ann, post } = await setUp(t)
  const id = await post(bob)
  await post(ann)
  assert.equal(await buildTimeline(context, bob), 'built')
  assert.deepEqual((await feeds.take(`timeline:${bob}`, END, 9)).ids, [id])
})

test('the list is there before the Store is read: a push in between is kept', async t => {
  const { store, feeds, ann, post, take, withStore } = await setUp(t)
  const context = withStore({
    async homeIds(...args) {
      assert.equal((await take()).state, 'building')
      const ids = await store.homeIds(...args)
      await feeds.push([{ list: `feed:${ann}`, id: await post(ann) }])
      return ids
    }
  })
  const before = await post(ann)
  assert.equal(await buildFeed(context, ann), 'built')
  const { ids } = await take()
  assert.equal(ids.length, 2)
  assert.equal(ids[1], before)
})

test('a warm list, and one that somebody builds, are left alone', async t => {
  const { context, ann, withStore } = await setUp(t)
  const other = withStore({
    async homeIds() {
      assert.equal(await buildFeed(context, ann), 'busy')
      return []
    }
  })
  assert.equal(await buildFeed(other, ann), 'built')
  assert.equal(await buildFeed(context, ann), 'busy')
})

test('a build is lost when its list was dropped, even if another was begun', async t => {
  const { feeds, context, ann, take, withStore } = await setUp(t)
  const dropped = withStore({
    async homeIds() {
      await feeds.drop([`feed:${ann}`])
      return []
    }
  })
  assert.equal(await buildFeed(dropped, ann), 'lost')
  assert.equal((await take()).state, 'cold')
  const overtaken = withStore({
    async homeIds() {
      await feeds.drop([`feed:${ann}`])
      assert.equal(await buildFeed(context, ann), 'built')
      return []
    }
  })
  assert.equal(await buildFeed(overtaken, ann), 'lost')
  assert.equal((await take()).state, 'warm')
})

test('after a failure nobody tries again until the list has freed itself', async t => {
  const { limits, clock, context, ann, take, withStore } = await setUp(t)
  const failing = withStore({ homeIds: () => Promise.reject(new Error('down')) })
  await assert.rejects(buildFeed(failing, ann), /down/)
  assert.equal((await take()).state, 'building')
  assert.equal(await buildFeed(context, ann), 'busy')
  await clock.advance(limits.buildMs)
  assert.equal(await buildFeed(context, ann), 'built')
})

test('every build has a token of its own', async t => {
  const { feeds, context, ann } = await setUp(t)
  const tokens = new Set<string>()
  const watched = patch(feeds, {
    begin(list, token) {
      tokens.add(token)
      return feeds.begin(list, token)
    }
  })
  for (let i = 0; i < 100; i++) {
    await buildFeed({ ...context, feeds: watched }, ann)
    await feeds.drop([`feed:${ann}`])
  }
  assert.equal(tokens.size, 100)
})
