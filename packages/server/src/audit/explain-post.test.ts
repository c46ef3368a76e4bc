import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { openWriteWorld, type WriteWorld } from '../../../../testkit/write-world.ts'
import { Problem } from '../domain/errors.ts'
import { laneOfAuthor } from '../domain/post-id.ts'
import { explainPost } from './explain-post.ts'
import { relayedAt, toDelivery } from './fanout-trail.ts'

/** `reader` follows `author`, and the reader's feed is warm. */
async function pair(t: TestContext, limits = {}) {
  const world = await openWriteWorld(t, limits)
  const [author, reader] = (await world.users('ann', 'bob')) as [number, number]
  await world.change('follow', reader, author)
  await world.settle()
  await world.plain.feeds.begin(`feed:${reader}`, 'x')
  await world.plain.feeds.finish(`feed:${reader}`, 'x', [], true)
  return { world, author, reader }
}

async function explain(world: WriteWorld, reader: number, post: string) {
  const [user] = await world.store.usersByNumbers([reader])
  const found = await explainPost(world, user!, post)
  return { ...found, codes: found.reasons.map(({ code }) => code) }
}

test('an event that waits, and one that nobody has worked on, are on their way', async t => {
  const { world, author, reader } = await pair(t)
  const post = await world.post(author)
  const waiting = await explain(world, reader, post)
  assert.deepEqual([waiting.codes, waiting.shown], [['waiting'], false])
  assert.equal(waiting.delivery?.relayedAt, null)
  await using lanes = await world.store.openLanes()
  await world.relay[Symbol.asyncDispose]()
  await lanes.claim()
  const rows = await lanes.unpublished([laneOfAuthor(author)], 10)
  await lanes.markPublished(rows.map(({ id }) => id))
  const relayed = await explain(world, reader, post)
  assert.deepEqual([relayed.codes, relayed.shown], [['relayed', 'no_record'], false])
  assert.ok(relayed.delivery?.relayedAt)
  assert.equal((await explain(world, author, post)).codes[0], 'feed_cold')
})

test('an event that was given up is told with its reason, until the feed is built', async t => {
  const { world, author, reader } = await pair(t)
  const post = await world.post(author)
  const event = { type: 'post', author, post } as const
  const [row] = await firstRows(world, author)
  await world.store.bury({ id: row?.id ?? '', lane: laneOfAuthor(author), event }, 'poison')
  const found = await explain(world, reader, post)
  assert.deepEqual([found.codes, found.shown], [['given_up'], false])
  assert.equal(found.event?.givenUp?.reason, 'poison')
  assert.match(found.summary, /poison/)
  assert.equal(found.delivery?.state, 'given_up')
  await world.plain.feeds.drop([`feed:${reader}`])
  assert.deepEqual((await explain(world, reader, post)).codes[0], 'feed_cold')
})

async function firstRows(world: WriteWorld, author: number) {
  await world.relay[Symbol.asyncDispose]()
  await using lanes = await world.store.openLanes()
  await lanes.claim()
  return lanes.unpublished([laneOfAuthor(author)], 1)
}

test('slices that are done count before the last one is; a push that failed is told', async t => {
  const { world, author, reader } = await pair(t, { slice: 1 })
  const [far] = (await world.users('far')) as [number]
  await world.change('follow', far, author)
  await world.settle()
  await world.plain.feeds.begin(`feed:${far}`, 'x')
  await world.plain.feeds.finish(`feed:${far}`, 'x', [], true)
  const post = await world.post(author)
  const lane = laneOfAuthor(author)
  const events = [{ id: '1', lane, event: { type: 'post', author, post } as const }]
  world.faults.feeds.push = async pushes => {
    if (pushes.some(({ list }) => list === `feed:${far}`)) throw new Problem('unavailable')
    return world.plain.feeds.push(pushes)
  }
  const handler = world.open(lane)
  await assert.rejects(handler.handle(events))
  const near = await explain(world, reader, post)
  assert.deepEqual(near.codes, ['in_feed', 'pushed'])
  assert.deepEqual([near.delivery?.state, near.delivery?.slices.done], ['in_work', 1])
  const late = await explain(world, far, post)
  assert.deepEqual(late.codes, ['in_work', 'push_failed'])
  assert.deepEqual([late.shown, late.delivery?.failed], [false, 1])
  delete world.faults.feeds.push
  await handler.handle(events)
  const done = await explain(world, far, post)
  assert.deepEqual(done.codes, ['in_feed', 'pushed'])
  assert.deepEqual(
    [done.delivery?.state, done.delivery?.slices, done.delivery?.failed],
    ['done', { done: 2, of: 2 }, 0]
  )
})

test('a post that came late is told so', async t => {
  const { world, author, reader } = await pair(t)
  const post = await world.post(author)
  await world.clock.advance(20_000)
  await world.handle({ type: 'post', author, post })
  const found = await explain(world, reader, post)
  assert.deepEqual(found.codes, ['in_feed', 'pushed_late'])
  assert.equal(found.delivery?.late, 1)
})

test('who follows later has it by a backfill, and the records say no more than they know', async t => {
  const { world, author, reader } = await pair(t)
  const [later] = (await world.users('later')) as [number]
  await world.plain.feeds.begin(`feed:${later}`, 'x')
  await world.plain.feeds.finish(`feed:${later}`, 'x', [], true)
  const post = await world.post(author)
  await world.settle()
  await world.change('follow', later, author)
  await world.settle()
  assert.deepEqual((await explain(world, later, post)).codes, ['in_feed', 'not_pushed'])
  assert.deepEqual((await explain(world, reader, post)).codes, ['in_feed', 'pushed'])
})

test('a post that is done waits for the follow of who came later', async t => {
  const { world, author } = await pair(t)
  const [later] = (await world.users('later')) as [number]
  await world.plain.feeds.begin(`feed:${later}`, 'x')
  await world.plain.feeds.finish(`feed:${later}`, 'x', [], true)
  const post = await world.post(author)
  await world.settle()
  await world.plain.store.follow(later, author)
  const waiting = await explain(world, later, post)
  assert.deepEqual([waiting.codes[0], waiting.delivery?.state], ['waiting', 'done'])
  assert.match(waiting.summary, /the follow of ann by later waits/)
  await world.settle()
  assert.equal((await explain(world, later, post)).codes[0], 'in_feed')
  await world.plain.feeds.drop([`feed:${later}`])
  await world.plain.feeds.begin(`feed:${later}`, 'y')
  await world.plain.feeds.finish(`feed:${later}`, 'y', [], true)
  assert.equal((await explain(world, later, post)).codes[0], 'missing')
  world.faults.log.pending = async () => 1
  assert.equal((await explain(world, later, post)).codes[0], 'waiting')
})

test('what is forgotten after 7 days is not made up', async t => {
  const { world, author, reader } = await pair(t)
  const post = await world.post(author)
  await world.settle()
  await world.clock.advance(8 * 86_400_000)
  await world.store.expire(100)
  const found = await explain(world, reader, post)
  assert.equal(found.delivery?.state, 'unrecorded')
  assert.deepEqual([found.codes[1], found.event, found.records], ['no_record', null, []])
})

test('a feed that is being built, and a timeline whose floor lies above, are read from the Store', async t => {
  const { world, author, reader } = await pair(t)
  const [post] = [await world.post(author)]
  await world.settle()
  await world.plain.feeds.drop([`feed:${reader}`])
  await world.plain.feeds.begin(`feed:${reader}`, 'y')
  assert.equal((await explain(world, reader, post)).codes[0], 'feed_building')
  await world.plain.feeds.finish(`feed:${reader}`, 'y', [], true)
  assert.equal((await explain(world, reader, post)).codes[0], 'missing')
  const [state] = await world.store.deliveryOf([author])
  await world.store.switchDelivery(state!, 'pull')
  assert.equal((await explain(world, reader, post)).codes[0], 'timeline_cold')
  const next = await world.post(author)
  await world.settle()
  await world.plain.feeds.begin(`timeline:${author}`, 'z')
  await world.plain.feeds.finish(`timeline:${author}`, 'z', [next, post], false)
  const below = await explain(world, reader, post)
  assert.deepEqual([below.codes[0], below.source], ['timeline_below_floor', 'store'])
})

test('while Feeds do not answer, or lack an own post, pages come from the Store, and so does the answer', async t => {
  const { world, author, reader } = await pair(t)
  const post = await world.post(author)
  await world.settle()
  const owed = { owes: (number: number) => number === reader }
  const [user] = await world.store.usersByNumbers([reader])
  const found = await explainPost({ ...world, owed }, user!, post)
  assert.deepEqual([found.reasons[0]?.code, found.source], ['feed_owed', 'store'])
  world.faults.feeds.take = () => Promise.reject(new Problem('unavailable'))
  const unreachable = await explain(world, reader, post)
  assert.deepEqual(unreachable.codes, ['feed_unreachable', 'pushed'])
  assert.deepEqual([unreachable.feed.state, unreachable.position], ['unreachable', 1])
  world.faults.feeds.take = () => Promise.reject(new TypeError('a defect'))
  await assert.rejects(explain(world, reader, post), TypeError)
})

test('slices are estimated by the followers until the last one is done', () => {
  const user = { counts: { followers: 2500 } } as Parameters<typeof toDelivery>[3]
  const post = { id: '3736512345678901234' } as Parameters<typeof toDelivery>[2]
  const context = { limits: { slice: 1000 } } as Parameters<typeof toDelivery>[0]
  const trail = { event: null, progress: null, state: 'unrecorded' } as const
  assert.deepEqual(toDelivery(context, trail, post, user).slices, { done: 0, of: 3 })
})

test('an event is relayed by the time its work begins, whenever it was marked', () => {
  const event = (publishedAt: number | null) => ({ id: '1', lane: 0, publishedAt, givenUp: null })
  const progress = { startedAt: 20 } as Parameters<typeof relayedAt>[0]['progress']
  assert.equal(relayedAt({ event: event(30), progress }), 20)
  assert.equal(relayedAt({ event: event(10), progress }), 10)
  assert.equal(relayedAt({ event: event(30), progress: null }), 30)
  assert.equal(relayedAt({ event: event(null), progress }), null)
})
