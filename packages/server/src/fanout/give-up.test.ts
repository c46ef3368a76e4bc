import assert from 'node:assert/strict'
import test from 'node:test'
import { openWriteWorld, type WriteWorld } from '../../../../testkit/write-world.ts'
import { Problem } from '../domain/errors.ts'
import type { FeedEvent } from '../domain/event.ts'
import type { PostId } from '../domain/post-id.ts'
import type { Change, ListKey } from '../ports/feeds.ts'

const POISON = new TypeError('poison')

/** A reader of two authors, with a warm feed. */
async function community(world: WriteWorld) {
  const [author, other, reader] = (await world.users('author', 'other', 'reader')) as [
    number,
    number,
    number
  ]
  for (const followee of [author, other]) await world.change('follow', reader, followee)
  await world.settle()
  const feed: ListKey = `feed:${reader}`
  await world.pages.build(feed)
  return { author, other, reader, feed }
}

/** What a handler does when this is poison: it is given up. */
async function poison(world: WriteWorld, event: FeedEvent): Promise<void> {
  world.faults.store.deliveryOf = () => Promise.reject(POISON)
  world.faults.store.follows = () => Promise.reject(POISON)
  await world.clock.runUntil(world.handle(event))
  assert.equal(world.telemetry.counts.get('fanout_buried'), 1)
  delete world.faults.store.deliveryOf
  delete world.faults.store.follows
}

test('a relation that is given up drops the feed and the rules of its reader', async t => {
  const world = await openWriteWorld(t)
  const { author, reader, feed } = await community(world)
  await world.pages.walk(reader, 3)
  assert.ok('rules' in (await world.feeds.rules(reader)))
  await poison(world, { type: 'relation', author, reader })
  assert.equal(await world.warm(feed), null)
  assert.ok(!('rules' in (await world.feeds.rules(reader))))
})

test('a post that is given up drops feeds also when its delivery cannot be told', async t => {
  const world = await openWriteWorld(t)
  const { author, reader, feed } = await community(world)
  const post = await world.post(author)
  await poison(world, { type: 'post', author, post })
  assert.equal(await world.warm(feed), null)
  assert.deepEqual(await world.pages.walk(reader, 3), [post])
})

test('a delete that is given up is told to everybody', async t => {
  const world = await openWriteWorld(t)
  const { author } = await community(world)
  const post = await world.post(author)
  const heard: Change[] = []
  world.faults.feeds.announce = async change => {
    heard.push(change)
  }
  await poison(world, { type: 'delete', author, post })
  assert.deepEqual(heard.at(-1), { posts: [post] })
})

test('when nothing can be dropped either, the event is given up all the same, and it is said', async t => {
  const world = await openWriteWorld(t)
  const { author } = await community(world)
  const post = await world.post(author)
  world.faults.feeds.drop = () => Promise.reject(POISON)
  await poison(world, { type: 'post', author, post })
  assert.equal(world.telemetry.counts.get('fanout_holes'), 1)
})

test('nothing is given up while its lists cannot be dropped for a reason that passes', async t => {
  const world = await openWriteWorld(t)
  const { author } = await community(world)
  const post = await world.post(author)
  world.faults.feeds.push = () => Promise.reject(POISON)
  world.faults.feeds.drop = () => Promise.reject(new Problem('unavailable'))
  const handled = world.clock.runUntil(world.handle({ type: 'post', author, post }))
  await assert.rejects(handled, { code: 'unavailable' })
  assert.equal(world.telemetry.counts.get('fanout_buried'), undefined)
})

/** Settles, and goes on doing so until nothing waits or the rounds are over. */
async function rounds(world: WriteWorld, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    await world.clock.runUntil(world.settle())
    await world.clock.advance(60_000)
  }
}

test('when the events of all users fail, few are given up: the others stay until one succeeds', async t => {
  const world = await openWriteWorld(t)
  const authors = await world.users(...Array.from({ length: 40 }, (_, n) => `a${n}`))
  const [reader] = (await world.users('reader')) as [number]
  for (const author of authors) await world.change('follow', reader, author)
  await world.settle()
  await world.pages.build(`feed:${reader}`)
  const posts: PostId[] = []
  world.faults.feeds.push = () => Promise.reject(POISON)
  for (const author of authors)
    posts.push(
      await world.store
        .publish({ author, content: 'x', attrs: {} })
        .then(({ value }) => value.post.id)
    )
  await rounds(world, 5)
  const { outboxDead, outboxPending } = await world.store.stats()
  assert.deepEqual([outboxDead, outboxPending], [10, 30])
  assert.ok((world.telemetry.counts.get('fanout_outages') ?? 0) > 0)
  delete world.faults.feeds.push
  await rounds(world, 1)
  assert.equal(await world.store.outboxPending(), 0)
  assert.equal((await world.store.stats()).outboxDead, 10)
  assert.deepEqual(await world.pages.walk(reader, 50), posts.toSorted().reverse())
})

test('one user may have any number of events that are given up', async t => {
  const world = await openWriteWorld(t)
  const { author, other, feed } = await community(world)
  for (let n = 0; n < 30; n++) await world.post(author)
  world.faults.feeds.push = pushes =>
    pushes.some(({ list }) => list === `feed:${author}`)
      ? Promise.reject(POISON)
      : world.plain.feeds.push(pushes)
  await rounds(world, 2)
  assert.deepEqual(
    [(await world.store.stats()).outboxDead, await world.store.outboxPending()],
    [30, 0]
  )
  await world.pages.build(feed)
  const good = await world.post(other)
  await rounds(world, 1)
  assert.equal((await world.warm(feed))?.[0], good)
})

test('a post that is missing in a warm list comes with the retry of its event', async t => {
  const world = await openWriteWorld(t)
  const { author, reader, feed } = await community(world)
  world.faults.feeds.push = () => Promise.reject(POISON)
  world.faults.feeds.drop = () => Promise.reject(POISON)
  const { value } = await world.store.publish({ author, content: 'x', attrs: {} })
  await rounds(world, 1)
  const [dead] = await world.store.deadEvents('0', 10)
  assert.match(dead?.reason ?? '', /poison.*lists may lack/)
  assert.deepEqual(await world.warm(feed), [])
  delete world.faults.feeds.push
  delete world.faults.feeds.drop
  assert.equal(await world.store.retryDead(dead!.id), true)
  await rounds(world, 1)
  assert.deepEqual(await world.warm(feed), [value.post.id])
  assert.deepEqual(await world.pages.walk(reader, 3), [value.post.id])
})

test('the cut of an unfollow that was given up stays until the retry of its event', async t => {
  const world = await openWriteWorld(t)
  const { author, reader } = await community(world)
  await world.post(author)
  await rounds(world, 1)
  world.faults.store.follows = () => Promise.reject(POISON)
  await world.store.unfollow(reader, author)
  await rounds(world, 1)
  const [dead] = await world.store.deadEvents('0', 10)
  assert.deepEqual(await world.store.ripeCuts(0, 10), [])
  assert.deepEqual(await world.pages.walk(reader, 3), [])
  delete world.faults.store.follows
  assert.equal(await world.store.retryDead(dead!.id), true)
  await rounds(world, 1)
  const cuts = await world.store.ripeCuts(0, 10)
  assert.deepEqual(
    cuts.map(({ reader, author }) => [reader, author]),
    [[reader, author]]
  )
})
