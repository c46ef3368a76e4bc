import assert from 'node:assert/strict'
import test from 'node:test'
import { openWriteWorld, type WriteWorld } from '../../../../testkit/write-world.ts'
import { Problem } from '../domain/errors.ts'
import type { FeedEvent } from '../domain/event.ts'
import { BACKLOG_MS } from '../domain/limits.ts'
import { laneOfAuthor, type PostId } from '../domain/post-id.ts'
import type { ListKey } from '../ports/feeds.ts'

/** An author whose followers have warm feeds; `cold` has none. */
async function community(world: WriteWorld) {
  const [author, near, far, cold] = (await world.users('author', 'near', 'far', 'cold')) as [
    number,
    number,
    number,
    number
  ]
  for (const reader of [near, far, cold]) await world.change('follow', reader, author)
  await world.settle()
  const own: ListKey[] = [`feed:${author}`, `timeline:${author}`]
  const followers: ListKey[] = [`feed:${near}`, `feed:${far}`]
  for (const list of [...own, ...followers]) await world.pages.build(list)
  return { author, near, far, cold, own, followers }
}

async function expectIds(
  world: WriteWorld,
  lists: readonly ListKey[],
  ids: readonly PostId[] | null
) {
  for (const list of lists) assert.deepEqual(await world.warm(list), ids, list)
}

test('a post reaches the timeline, the own feed and every warm feed of a follower, slice by slice', async t => {
  const world = await openWriteWorld(t, { slice: 2 })
  const { author, cold, own, followers } = await community(world)
  const ids = [await world.post(author), await world.post(author)]
  await world.settle()
  await expectIds(world, [...own, ...followers], ids.toReversed())
  assert.equal(await world.warm(`feed:${cold}`), null)
})

test('a post of a pulled author goes to the timeline and the own feed alone', async t => {
  const world = await openWriteWorld(t)
  const { author, own, followers } = await community(world)
  await world.pages.deliverBy(author, 'pull')
  const id = await world.post(author)
  await world.settle()
  await expectIds(world, own, [id])
  await expectIds(world, followers, [])
})

test('handling events again changes nothing', async t => {
  const world = await openWriteWorld(t)
  const { author, near, own, followers } = await community(world)
  const post = await world.post(author)
  const events: FeedEvent[] = [
    { type: 'post', author, post },
    { type: 'relation', author, reader: near },
    { type: 'rules', reader: near },
    { type: 'user', author }
  ]
  for (let n = 0; n < 3; n++) await world.handle(...events)
  await expectIds(world, [...own, ...followers], [post])
})

test('old posts are not pushed: the lists they belong to are dropped once', async t => {
  const world = await openWriteWorld(t, { slice: 1 })
  const { author, own, followers } = await community(world)
  const [other] = (await world.users('other')) as [number]
  await world.pages.build(`feed:${other}`)
  const createdAt = world.clock.now() - BACKLOG_MS - 1
  const rows = [1, 2].map(n => ({
    author,
    content: `old ${n}`,
    attrs: {},
    createdAt,
    externalId: `${n}`
  }))
  await world.store.importPosts(rows)
  const dropped: ListKey[] = []
  world.faults.feeds.drop = lists => {
    dropped.push(...lists)
    return world.plain.feeds.drop(lists)
  }
  await world.settle()
  await expectIds(world, [...own, ...followers], null)
  assert.equal(new Set(dropped).size, dropped.length)
  assert.deepEqual(await world.warm(`feed:${other}`), [])
})

test('old posts of a pulled author leave the feeds of followers alone', async t => {
  const world = await openWriteWorld(t)
  const { author, own, followers } = await community(world)
  await world.pages.deliverBy(author, 'pull')
  const createdAt = world.clock.now() - 2 * BACKLOG_MS
  await world.store.importPosts([{ author, content: 'x', attrs: {}, createdAt, externalId: null }])
  await world.settle()
  await expectIds(world, own, null)
  await expectIds(world, followers, [])
})

test('a deleted post leaves every list', async t => {
  const world = await openWriteWorld(t, { slice: 1 })
  const { author, own, followers } = await community(world)
  const [stays, goes] = [await world.post(author), await world.post(author)]
  await world.settle()
  const heard: unknown[] = []
  world.feeds.subscribe(change => heard.push(change.posts))
  await world.store.deletePost(author, goes)
  await world.settle()
  await expectIds(world, [...own, ...followers], [stays])
  assert.deepEqual(heard, [[goes]])
})

test('a delete that is handled before its post hides it all the same', async t => {
  const world = await openWriteWorld(t)
  const { author, near } = await community(world)
  const post = await world.post(author)
  await world.store.deletePost(author, post)
  await world.handle({ type: 'delete', author, post })
  await world.handle({ type: 'post', author, post })
  assert.deepEqual(await world.pages.walk(near, 3), [])
  await world.settle()
  assert.deepEqual(await world.pages.walk(near, 3), [])
})

test('a relation event looks at the follow as it is, whatever it once announced', async t => {
  const world = await openWriteWorld(t)
  const { author, near } = await community(world)
  const look: FeedEvent = { type: 'relation', author, reader: near }
  await world.change('unfollow', near, author)
  const post = await world.post(author)
  await world.change('follow', near, author)
  await world.feeds.drop([`feed:${near}`])
  await world.pages.build(`feed:${near}`)
  await world.feeds.remove(`feed:${near}`, [post])
  await world.handle(look)
  assert.deepEqual(await world.warm(`feed:${near}`), [post])
  await world.change('unfollow', near, author)
  await world.clock.advance(world.limits.cutMs)
  assert.equal((await world.store.ripeCuts(0, 10)).length, 0)
  await world.handle(look)
  assert.equal((await world.store.ripeCuts(0, 10)).length, 1)
})

test('the cut of an unfollow is stamped only after the pushes of its batch', async t => {
  const world = await openWriteWorld(t)
  const { author, near } = await community(world)
  const post = await world.post(author)
  await world.change('unfollow', near, author)
  let pushed = false
  world.faults.feeds.push = pushes => {
    pushed = true
    return world.plain.feeds.push(pushes)
  }
  world.faults.store.stampCuts = pairs => {
    assert.ok(pushed)
    return world.plain.store.stampCuts(pairs)
  }
  await world.handle({ type: 'relation', author, reader: near }, { type: 'post', author, post })
  assert.equal((await world.store.ripeCuts(0, 10)).length, 1)
})

test('a poison event is buried, and the others go on', async t => {
  const world = await openWriteWorld(t)
  const { author, near, followers } = await community(world)
  const lane = laneOfAuthor(author)
  const post = await world.post(author)
  const events = [
    { id: '900001', lane, event: { type: 'post', author, post: 'no id' } },
    { id: '900002', lane, event: { type: 'post', author, post } }
  ] as const
  const buried: string[] = []
  world.faults.store.bury = async ({ id }, reason) => {
    assert.match(reason, /BigInt/)
    buried.push(id)
  }
  await world.clock.runUntil(world.log.append(events))
  assert.deepEqual(buried, ['900001'])
  assert.equal(world.telemetry.counts.get('fanout_buried'), 1)
  await expectIds(world, followers, null)
  await world.pages.build(`feed:${near}`)
  await expectIds(world, [`feed:${near}`], [post])
})

test('a post whose event is given up is in every feed: no warm list without it stays', async t => {
  const world = await openWriteWorld(t, { slice: 1 })
  const { author, near, far, own, followers } = await community(world)
  const bad = await world.post(author)
  let tries = 0
  world.faults.feeds.push = pushes => {
    if (!pushes.some(({ id }) => id === bad)) return world.plain.feeds.push(pushes)
    tries++
    return Promise.reject(new TypeError('poison'))
  }
  const good = await world.post(author)
  const started = world.clock.monotonic()
  await world.clock.runUntil(world.settle())
  assert.equal(tries, 6)
  assert.ok(world.clock.monotonic() - started > 500, 'it was tried again after pauses')
  assert.equal((await world.store.stats()).outboxDead, 1)
  assert.equal(await world.store.outboxPending(), 0)
  await expectIds(world, [...own, ...followers], null)
  for (const reader of [near, far, author])
    assert.deepEqual(await world.pages.walk(reader, 3), [good, bad])
})

test('what waiting can cure rejects the batch and buries nothing', async t => {
  const world = await openWriteWorld(t)
  const { author, followers } = await community(world)
  const post = await world.post(author)
  world.faults.feeds.push = () => Promise.reject(new Problem('unavailable'))
  await world.settle()
  assert.equal(await world.store.outboxPending(), 1)
  assert.equal((await world.store.stats()).outboxDead, 0)
  delete world.faults.feeds.push
  await world.clock.advance(1000)
  await world.settle()
  await expectIds(world, followers, [post])
})

test('a handler that is closed writes no further slice, and gives its batch back', async t => {
  const world = await openWriteWorld(t, { slice: 1 })
  const { author, near, far } = await community(world)
  const post = await world.post(author)
  const lane = laneOfAuthor(author)
  const handler = world.open(lane)
  let closed: Promise<void> | undefined
  world.faults.feeds.push = async pushes => {
    if (pushes.some(({ list }) => list === `feed:${near}`)) closed = handler.close()
    return world.plain.feeds.push(pushes)
  }
  const handled = handler.handle([{ id: '1', lane, event: { type: 'post', author, post } }])
  await assert.rejects(handled, { code: 'unavailable' })
  await closed
  assert.deepEqual(await world.warm(`feed:${near}`), [post])
  assert.deepEqual(await world.warm(`feed:${far}`), [])
})

test('a lane that is lost while its batch runs is written to no further', async t => {
  const world = await openWriteWorld(t, { slice: 1 })
  const { author, near, far } = await community(world)
  const post = await world.post(author)
  const lane = laneOfAuthor(author)
  let released: Promise<void> | undefined
  world.faults.feeds.push = async pushes => {
    if (pushes.some(({ list }) => list === `feed:${near}`)) released = world.log.release([lane])
    return world.plain.feeds.push(pushes)
  }
  const event = { id: '1', lane, event: { type: 'post', author, post } } as const
  await assert.rejects(world.log.append([event]), { code: 'unavailable' })
  await released
  assert.deepEqual(await world.warm(`feed:${near}`), [post])
  assert.deepEqual(await world.warm(`feed:${far}`), [])
})

test('the slices of authors take turns', async t => {
  const world = await openWriteWorld(t, { slice: 1 })
  const { author, near } = await community(world)
  const [small] = (await world.users('small')) as [number]
  await world.change('follow', near, small)
  const posts = [await world.post(author), await world.post(small)] as const
  const order: PostId[] = []
  world.faults.feeds.push = async pushes => {
    const [first] = pushes
    if (first && first.list !== `feed:${author}` && !first.list.startsWith('timeline'))
      order.push(first.id)
    return world.plain.feeds.push(pushes)
  }
  await world.handle(
    { type: 'post', author, post: posts[0] },
    { type: 'post', author: small, post: posts[1] }
  )
  assert.deepEqual(order, [posts[0], posts[1], posts[0], posts[0]])
})
