import assert from 'node:assert/strict'
import test from 'node:test'
import { openWriteWorld, type WriteWorld } from '../../../../testkit/write-world.ts'
import { createMemoryEventLog } from '../adapters/memory/event-log.ts'
import { laneOfAuthor } from '../domain/post-id.ts'
import { type EventLog, EventTooLargeError, type Takeover } from '../ports/event-log.ts'
import type { Lanes } from '../ports/store.ts'
import { createRelay } from './relay.ts'

/** Two authors of different lanes. */
async function authors(world: WriteWorld): Promise<[number, number]> {
  const [a, b] = (await world.users('a', 'b')) as [number, number]
  assert.notEqual(laneOfAuthor(a), laneOfAuthor(b))
  return [a, b]
}

/** Notes the ids of events in the order in which they reach the log. */
function listen(world: WriteWorld): string[] {
  const seen: string[] = []
  world.faults.log.append = events => {
    seen.push(...events.map(({ event }) => ('post' in event ? event.post : event.type)))
    return world.plain.log.append(events)
  }
  return seen
}

test('events of an author go out in order, and are done once their work is', async t => {
  const world = await openWriteWorld(t)
  const [a] = await authors(world)
  await world.settle()
  const seen = listen(world)
  const ids = [await world.post(a), await world.post(a), await world.post(a)]
  assert.equal(await world.store.outboxPending(), 3)
  await world.settle()
  assert.deepEqual(seen, ids)
  assert.equal(await world.store.outboxPending(), 0)
  assert.equal(await world.relay.relayOnce(), 0)
})

test('a slow lane holds up no other, and is not read again while it is at work', async t => {
  const world = await openWriteWorld(t)
  const [slow, quick] = await authors(world)
  await world.settle()
  const stuck = Promise.withResolvers<void>()
  const seen: number[] = []
  const append: EventLog['append'] = async events => {
    for (const { lane } of events) seen.push(lane)
    if (events[0]?.lane === laneOfAuthor(slow)) await stuck.promise
    return world.plain.log.append(events)
  }
  world.faults.log.append = append
  await world.post(slow)
  assert.equal(await world.relay.relayOnce(), 1)
  await world.post(slow)
  await world.post(quick)
  assert.equal(await world.relay.relayOnce(), 1)
  while ((await world.store.outboxPending()) > 2) await new Promise(setImmediate)
  assert.deepEqual(seen, [laneOfAuthor(slow), laneOfAuthor(quick)])
  stuck.resolve()
  await world.settle()
  assert.equal(await world.store.outboxPending(), 0)
})

test('what the log did not take stays, and is tried again after a pause that grows', async t => {
  const world = await openWriteWorld(t)
  const [a, b] = await authors(world)
  await world.settle()
  let tries = 0
  world.faults.log.append = async events => {
    if (events[0]?.lane !== laneOfAuthor(a)) return world.plain.log.append(events)
    tries++
    throw new Error('no broker')
  }
  await world.post(a)
  for (const [ms, expected] of [
    [0, 1],
    [99, 1],
    [1, 2],
    [199, 2],
    [1, 3]
  ] as const) {
    await world.clock.advance(ms)
    await world.settle()
    assert.equal(tries, expected, `after ${ms} ms more`)
  }
  await world.post(b)
  await world.settle()
  assert.equal(await world.store.outboxPending(), 1)
  delete world.faults.log.append
  await world.clock.advance(1000)
  await world.settle()
  assert.equal(await world.store.outboxPending(), 0)
})

test('a batch takes so many rows of a lane, and the loop is woken when the lane is free', async t => {
  const world = await openWriteWorld(t)
  const [a] = await authors(world)
  await world.settle()
  let woken = 0
  const onFree = () => woken++
  await world.relay[Symbol.asyncDispose]()
  await using relay = createRelay(world, { batch: 2, onFree })
  for (let n = 0; n < 5; n++) await world.post(a)
  for (const expected of [2, 2, 1, 0]) {
    assert.equal(await relay.relayOnce(), expected)
    await relay.idle()
  }
  assert.equal(woken, 3)
})

test('rounds at the same time never read a row twice', async t => {
  const world = await openWriteWorld(t)
  const [a, b] = await authors(world)
  await world.settle()
  const seen = listen(world)
  const ids = [await world.post(a), await world.post(b)]
  const taken = await Promise.all([1, 2, 3].map(() => world.relay.relayOnce()))
  await world.settle()
  assert.equal(
    taken.reduce((sum, n) => sum + n, 0),
    2
  )
  assert.deepEqual(seen.toSorted(), ids.toSorted())
})

/** The session of the first claim is lost at the second; the next one opens another. */
test('a lost session gives up all lanes and opens another', async t => {
  const world = await openWriteWorld(t)
  const [a] = await authors(world)
  await world.settle()
  await world.relay[Symbol.asyncDispose]()
  const opened: Lanes[] = []
  let lost = false
  world.faults.store.openLanes = async () => {
    const lanes = await world.plain.store.openLanes()
    opened.push(lanes)
    const mine = opened.length
    return {
      claim: () => (lost && mine === 1 ? Promise.reject(new Error('lost')) : lanes.claim()),
      unpublished: (...args) => lanes.unpublished(...args),
      markPublished: ids => lanes.markPublished(ids),
      recent: (...args) => lanes.recent(...args),
      [Symbol.asyncDispose]: () => lanes[Symbol.asyncDispose]()
    }
  }
  const released: number[][] = []
  world.faults.log.release = lanes => {
    released.push([...lanes])
    return world.plain.log.release(lanes)
  }
  await using relay = createRelay(world)
  await world.post(a)
  assert.equal(await relay.relayOnce(), 1)
  await relay.idle()
  await world.post(a)
  lost = true
  await assert.rejects(relay.relayOnce(), /lost/)
  assert.ok(released[0]?.includes(laneOfAuthor(a)))
  assert.equal(await relay.relayOnce(), 1)
  await relay.idle()
  assert.equal(opened.length, 2)
  assert.equal(await world.store.outboxPending(), 0)
})

test('two relays share the lanes, and each event is taken once', async t => {
  const world = await openWriteWorld(t)
  const [a, b] = await authors(world)
  await world.settle()
  const seen = listen(world)
  await using other = createRelay(world)
  const ids = [await world.post(a), await world.post(b)]
  for (let n = 0; n < 2; n++)
    for (const relay of [other, world.relay]) {
      await relay.relayOnce()
      await relay.idle()
    }
  assert.deepEqual(seen.toSorted(), ids.toSorted())
})

test('disposal ends though nobody works on what is in the log, and the events stay', async t => {
  const world = await openWriteWorld(t)
  const [a] = await authors(world)
  await world.settle()
  await world.relay[Symbol.asyncDispose]()
  await using log = createMemoryEventLog()
  const relay = createRelay({ ...world, log })
  await world.post(a)
  assert.equal(await relay.relayOnce(), 1)
  await relay[Symbol.asyncDispose]()
  assert.equal(world.clock.sleeping, 0)
  assert.equal(await world.store.outboxPending(), 1)
  await using lanes = await world.store.openLanes()
  assert.ok((await lanes.claim()).includes(laneOfAuthor(a)), 'the lanes are free')
})

test('disposal does not wait for a log that never answers', async t => {
  const world = await openWriteWorld(t)
  const [a] = await authors(world)
  await world.settle()
  world.faults.log.append = () => new Promise(() => {})
  await world.post(a)
  await world.relay.relayOnce()
  await world.clock.runUntil(Promise.resolve(world.relay[Symbol.asyncDispose]()), 60_000)
})

test('lanes that another relay held are taken over before anything of them is appended', async t => {
  const world = await openWriteWorld(t)
  const [a, b] = await authors(world)
  const done = await world.post(a)
  await world.settle()
  await world.relay[Symbol.asyncDispose]()
  const ahead = await world.post(a)
  const seen: unknown[] = []
  const post = ({ event }: { event: object }) => 'post' in event && event.post
  const takeOver = async (lane: number, past: Takeover) => {
    if (seen.push('failed') === 1) throw new Error('not now')
    seen.push(lane, past.done.map(post).filter(Boolean), past.ahead.map(post))
  }
  world.faults.log.takeOver = takeOver
  world.faults.log.append = async events => {
    seen.push(events.map(post))
    await world.plain.log.append(events)
  }
  await using relay = createRelay(world)
  for (let n = 0; n < 3; n++) {
    await relay.relayOnce()
    await relay.idle()
    await world.clock.advance(1000)
  }
  const lane = laneOfAuthor(a)
  assert.deepEqual(seen, ['failed', 'failed', lane, [done], [ahead], [ahead]])
  await world.post(b)
  await relay.relayOnce()
  await relay.idle()
  assert.equal(seen.length, 7, 'a lane without a past needs no more')
})

test('an event that the log can never take is set aside, and its lane goes on', async t => {
  const world = await openWriteWorld(t)
  const [a] = await authors(world)
  await world.settle()
  const [first, large, last] = [await world.post(a), await world.post(a), await world.post(a)]
  const seen: string[] = []
  world.faults.log.append = async events => {
    const refused = events.find(({ event }) => 'post' in event && event.post === large)
    if (refused) throw new EventTooLargeError(refused, 2)
    for (const { event } of events) if ('post' in event) seen.push(event.post)
    return world.plain.log.append(events)
  }
  await world.settle()
  assert.deepEqual(seen, [first, last])
  assert.equal((await world.store.stats()).outboxDead, 1)
})
