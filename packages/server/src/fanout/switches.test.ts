import assert from 'node:assert/strict'
import test from 'node:test'
import { openWriteWorld, type WriteWorld } from '../../../../testkit/write-world.ts'
import { Problem } from '../domain/errors.ts'
import type { Limits } from '../domain/limits.ts'
import { isMerged, NO_RULES, PULLED_NOW } from '../domain/rules.ts'
import type { DeliveryState } from '../ports/store.ts'
import { policyOnce } from './policy.ts'
import { createSwitches } from './switches.ts'

/** Two followers are enough to be pulled. */
const TWO_FOLLOWERS = { threshold: 2, slice: 1, cap: 50 }
/** One of two followers less is too few to stay pulled. */
const TOO_FEW = { ...TWO_FOLLOWERS, threshold: 3 }

/** A star with so many followers as the threshold asks; the feed of the first is warm. */
async function star(world: WriteWorld) {
  const [author, reader, other] = (await world.users('star', 'reader', 'other')) as [
    number,
    number,
    number
  ]
  await world.change('follow', reader, author)
  await world.change('follow', other, author)
  await world.settle()
  await world.store.flushCounts(1000)
  await world.pages.build(`feed:${reader}`)
  return { author, reader, other }
}

async function stateOf(world: WriteWorld, author: number): Promise<DeliveryState> {
  const [state] = await world.store.deliveryOf([author])
  assert.ok(state)
  return state
}

/** Posts once, works everything off, and compares the reader's walk with the oracle. */
async function expectNoHole(world: WriteWorld, author: number, reader: number): Promise<void> {
  const post = await world.post(author)
  await world.settle()
  const walk = await world.pages.walk(reader, 3)
  assert.ok(walk.includes(post))
  assert.deepEqual(walk, await world.pages.oracle(reader))
}

async function loseFollower(world: WriteWorld, author: number, reader: number): Promise<void> {
  await world.change('unfollow', reader, author)
  await world.settle()
  await world.store.flushCounts(1000)
}

test('up: push, both, and only after the grace pull; no page lacks a post', async t => {
  const world = await openWriteWorld(t, TWO_FOLLOWERS)
  const { author, reader } = await star(world)
  const switches = createSwitches(world)
  await expectNoHole(world, author, reader)
  assert.equal(await switches.confirmOnce(), 0)
  assert.equal(await policyOnce(world), 1)
  assert.equal(await world.deliveryOf(author), 'both')
  await expectNoHole(world, author, reader)
  assert.equal(await switches.confirmOnce(), 1)
  await expectNoHole(world, author, reader)
  await world.clock.advance(world.limits.graceMs - 1)
  assert.equal(await switches.confirmOnce(), 0)
  assert.equal(await world.deliveryOf(author), 'both')
  await world.clock.advance(1)
  assert.equal(await switches.confirmOnce(), 1)
  assert.equal(await world.deliveryOf(author), 'pull')
  await expectNoHole(world, author, reader)
  assert.equal(await policyOnce(world), 0)
})

/** Rules that lack the author are cached; whoever reads by them has only the pushed feed. */
test('two-phase: as long as cached rules lack the author, posts are pushed', async t => {
  const world = await openWriteWorld(t, TWO_FOLLOWERS)
  const { author, reader } = await star(world)
  const read = await world.feeds.rules(reader)
  assert.ok('lease' in read && read.lease)
  await policyOnce(world)
  await world.feeds.fillRules(reader, read.lease, NO_RULES)
  const post = await world.post(author)
  await world.settle()
  assert.deepEqual(await world.warm(`feed:${reader}`), [post])
  await createSwitches(world).confirmOnce()
  assert.ok('lease' in (await world.feeds.rules(reader)))
  assert.equal((await world.store.rules(reader)).pulled.get(author), PULLED_NOW)
})

test('the grace starts when the rules of every follower are dropped', async t => {
  const world = await openWriteWorld(t, TWO_FOLLOWERS)
  const { author, other } = await star(world)
  const switches = createSwitches(world)
  await policyOnce(world)
  world.faults.feeds.dropRules = readers =>
    readers.includes(other)
      ? Promise.reject(new Problem('unavailable'))
      : world.plain.feeds.dropRules(readers)
  assert.equal(await switches.confirmOnce(), 0)
  await world.clock.advance(world.limits.graceMs)
  assert.equal(await switches.confirmOnce(), 0)
  delete world.faults.feeds.dropRules
  assert.equal(await switches.confirmOnce(), 1)
  assert.equal(await switches.confirmOnce(), 0)
  assert.equal(await world.deliveryOf(author), 'both')
})

test('a process that finds both and knows nothing of it starts over', async t => {
  const world = await openWriteWorld(t, TWO_FOLLOWERS)
  const { author } = await star(world)
  await policyOnce(world)
  await createSwitches(world).confirmOnce()
  await world.clock.advance(world.limits.graceMs)
  const next = createSwitches(world)
  assert.equal(await next.confirmOnce(), 1)
  assert.equal(await world.deliveryOf(author), 'both')
  await world.clock.advance(world.limits.graceMs)
  await next.confirmOnce()
  assert.equal(await world.deliveryOf(author), 'pull')
})

test('down: pushed from the next event on, merged as far as posts were not pushed', async t => {
  const world = await openWriteWorld(t, TOO_FEW)
  const { author, reader, other } = await star(world)
  await world.pages.deliverBy(author, 'pull')
  const pulled = await world.post(author)
  await world.settle()
  assert.deepEqual(await world.warm(`feed:${reader}`), [])
  await loseFollower(world, author, other)
  assert.equal(await policyOnce(world), 1)
  assert.equal(await world.deliveryOf(author), 'push')
  const until = (await world.store.rules(reader)).pulled.get(author)
  assert.ok(until !== undefined && isMerged(until, pulled))
  await expectNoHole(world, author, reader)
  await world.clock.advance(60_000)
  await expectNoHole(world, author, reader)
  assert.equal((await world.warm(`feed:${reader}`))?.length, 2)
})

test('down: a worker that still knew the author as pulled leaves no hole', async t => {
  const world = await openWriteWorld(t, TOO_FEW)
  const { author, reader, other } = await star(world)
  await world.pages.deliverBy(author, 'pull')
  await loseFollower(world, author, other)
  world.faults.store.deliveryOf = async authors => {
    const known = await world.plain.store.deliveryOf(authors)
    delete world.faults.store.deliveryOf
    await policyOnce(world)
    return known
  }
  await expectNoHole(world, author, reader)
  assert.equal(await world.deliveryOf(author), 'push')
  assert.deepEqual(await world.warm(`feed:${reader}`), [])
})

test('down: rules that could not be dropped merge more than needed, and the switch stands', async t => {
  const world = await openWriteWorld(t, TOO_FEW)
  const { author, reader, other } = await star(world)
  await world.pages.deliverBy(author, 'pull')
  await expectNoHole(world, author, reader)
  await loseFollower(world, author, other)
  world.faults.feeds.dropRules = () => Promise.reject(new Problem('unavailable'))
  assert.equal(await policyOnce(world), 1)
  delete world.faults.feeds.dropRules
  await expectNoHole(world, author, reader)
})

/** A slow process holds what it read of a visit to `both`; meanwhile others switch down and up again. */
test('switch-cas: a confirmation of an earlier visit to both does not end a later one', async t => {
  const world = await openWriteWorld(t, TWO_FOLLOWERS)
  const { author, reader } = await star(world)
  const slow = createSwitches(world)
  await policyOnce(world)
  await slow.confirmOnce()
  await world.clock.advance(world.limits.graceMs)
  const read = await world.plain.store.inBoth(10)
  await world.plain.store.switchDelivery(await stateOf(world, author), 'push')
  const leased = await world.feeds.rules(reader)
  assert.ok('lease' in leased && leased.lease)
  await world.feeds.fillRules(reader, leased.lease, NO_RULES)
  await policyOnce(world)
  world.faults.store.inBoth = async () => read
  await slow.confirmOnce()
  assert.equal(await world.deliveryOf(author), 'both')
  delete world.faults.store.inBoth
  assert.equal(await slow.confirmOnce(), 1)
  assert.equal(await world.deliveryOf(author), 'both')
  assert.ok('lease' in (await world.feeds.rules(reader)))
})

test('a later visit to both gets its own grace', async t => {
  const world = await openWriteWorld(t, TWO_FOLLOWERS)
  const { author } = await star(world)
  const switches = createSwitches(world)
  await policyOnce(world)
  await switches.confirmOnce()
  await world.store.switchDelivery(await stateOf(world, author), 'push')
  await policyOnce(world)
  await world.clock.advance(world.limits.graceMs)
  assert.equal(await switches.confirmOnce(), 1)
  assert.equal(await world.deliveryOf(author), 'both')
})

test('switch-cas: of two processes that switch down one wins', async t => {
  const world = await openWriteWorld(t, TOO_FEW)
  const { author, other } = await star(world)
  await world.pages.deliverBy(author, 'pull')
  await loseFollower(world, author, other)
  const both = await Promise.all([policyOnce(world), policyOnce(world)])
  assert.deepEqual(both.toSorted(), [0, 1])
})

for (const [policy, end] of [
  ['push', 'push'],
  ['pull', 'pull']
] as const) {
  test(`policy ${policy}: everybody ends in ${end}, whatever they were`, async t => {
    const limits: Partial<Limits> = { ...TWO_FOLLOWERS, delivery: policy }
    const world = await openWriteWorld(t, limits)
    const { author, reader, other } = await star(world)
    await world.pages.deliverBy(author, policy === 'push' ? 'pull' : 'push')
    const switches = createSwitches(world)
    for (let n = 0; n < 3; n++) {
      await policyOnce(world)
      await switches.confirmOnce()
      await world.clock.advance(world.limits.graceMs)
    }
    for (const user of [author, reader, other]) assert.equal(await world.deliveryOf(user), end)
    await expectNoHole(world, author, reader)
  })
}
