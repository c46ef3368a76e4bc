import assert from 'node:assert/strict'
import test from 'node:test'
import { openWriteWorld, type WriteWorld } from '../../../../testkit/write-world.ts'
import { Problem } from '../domain/errors.ts'
import { WINDOW_MS } from '../domain/limits.ts'
import { END, makePostId, type PostId, shardOfAuthor } from '../domain/post-id.ts'
import { NO_RULES } from '../domain/rules.ts'
import { changeHide, changeRelation } from './relations.ts'

const down = () => Promise.reject(new Problem('unavailable'))

async function pair(world: WriteWorld): Promise<[number, number]> {
  return (await world.users('reader', 'author')) as [number, number]
}

/** Caches rules; they are gone when one of the changes has dropped them. */
async function cacheRules(world: WriteWorld, reader: number): Promise<void> {
  const read = await world.feeds.rules(reader)
  if ('lease' in read && read.lease) await world.feeds.fillRules(reader, read.lease, NO_RULES)
}

async function isCached(world: WriteWorld, reader: number): Promise<boolean> {
  return 'rules' in (await world.feeds.rules(reader))
}

for (const [change, both] of [
  ['follow', false],
  ['unfollow', false],
  ['mute', false],
  ['unmute', false],
  ['block', true],
  ['unblock', true]
] as const) {
  test(`${change} drops the rules of ${both ? 'both' : 'the reader'}, also when it changes nothing`, async t => {
    const world = await openWriteWorld(t)
    const [reader, author] = await pair(world)
    for (let n = 0; n < 2; n++) {
      await cacheRules(world, reader)
      await cacheRules(world, author)
      await world.change(change, reader, author)
      assert.equal(await isCached(world, reader), false)
      assert.equal(await isCached(world, author), !both)
    }
  })
}

test('a change whose rules could not be dropped answers unavailable, and can be repeated', async t => {
  const world = await openWriteWorld(t)
  const [reader, author] = await pair(world)
  const id = await world.post(author)
  await world.change('follow', reader, author)
  world.faults.feeds.dropRules = down
  await assert.rejects(world.change('block', reader, author), { code: 'unavailable' })
  await assert.rejects(changeHide(world, 'hide', reader, id), { code: 'unavailable' })
  delete world.faults.feeds.dropRules
  const again = await changeRelation(world, 'block', reader, author)
  assert.equal(again.value, false)
  await changeHide(world, 'hide', reader, id)
})

test('a defect is not told as a dependency that is down', async t => {
  const world = await openWriteWorld(t)
  const [reader, author] = await pair(world)
  world.faults.feeds.dropRules = () => Promise.reject(new TypeError('readers is undefined'))
  await assert.rejects(world.change('mute', reader, author), TypeError)
})

test('hide drops the rules of the reader', async t => {
  const world = await openWriteWorld(t)
  const [reader, author] = await pair(world)
  const id = await world.post(author)
  await cacheRules(world, reader)
  await changeHide(world, 'hide', reader, id)
  assert.equal(await isCached(world, reader), false)
})

test('a follow backfills a warm feed; one that changed nothing does it again', async t => {
  const world = await openWriteWorld(t)
  const [reader, author] = await pair(world)
  const id = await world.post(author)
  await world.pages.build(`feed:${reader}`)
  assert.deepEqual(await world.warm(`feed:${reader}`), [])
  await world.store.follow(reader, author)
  await world.change('follow', reader, author)
  assert.deepEqual(await world.warm(`feed:${reader}`), [id])
})

test('a follow that is repeated under its key brings back no author who was unfollowed meanwhile', async t => {
  const world = await openWriteWorld(t)
  const [reader, author] = await pair(world)
  const key = { owner: reader, key: 'k', hash: 'h' }
  await world.post(author)
  await changeRelation(world, 'follow', reader, author, key)
  await world.change('unfollow', reader, author)
  await world.settle()
  for (const cut of await world.store.ripeCuts(0, 10)) await world.store.removeCut(cut)
  await world.pages.build(`feed:${reader}`)
  const again = await changeRelation(world, 'follow', reader, author, key)
  assert.deepEqual(again, { value: true, replayed: true })
  assert.deepEqual(await world.warm(`feed:${reader}`), [])
})

test('a repeated follow that still stands is backfilled again', async t => {
  const world = await openWriteWorld(t)
  const [reader, author] = await pair(world)
  const key = { owner: reader, key: 'k', hash: 'h' }
  const id = await world.post(author)
  await world.settle()
  await world.pages.build(`feed:${reader}`)
  await world.store.follow(reader, author, key)
  await changeRelation(world, 'follow', reader, author, key)
  assert.deepEqual(await world.warm(`feed:${reader}`), [id])
})

test('a follow stands when its backfill fails, and the worker does it', async t => {
  const world = await openWriteWorld(t)
  const [reader, author] = await pair(world)
  const id = await world.post(author)
  await world.settle()
  await world.pages.build(`feed:${reader}`)
  world.faults.feeds.lowestFloor = down
  await world.change('follow', reader, author)
  assert.deepEqual(await world.warm(`feed:${reader}`), [])
  delete world.faults.feeds.lowestFloor
  await world.settle()
  assert.deepEqual(await world.warm(`feed:${reader}`), [id])
})

/** The feed is cold before the follow; a builder that read the follows before its commit finishes after it. */
test('floor-after-commit: a feed that becomes warm around the commit gets the posts', async t => {
  const world = await openWriteWorld(t)
  const [reader, author] = await pair(world)
  const id = await world.post(author)
  await world.settle()
  world.faults.store.follow = async (...args) => {
    const list = `feed:${reader}` as const
    await world.feeds.begin(list, 'builder')
    const read = await world.store.homeIds(reader, END, 11, 'kept')
    const written = await world.plain.store.follow(...args)
    assert.equal(await world.feeds.finish(list, 'builder', read, true), true)
    return written
  }
  await world.change('follow', reader, author)
  assert.deepEqual(await world.warm(`feed:${reader}`), [id])
  assert.deepEqual(await world.pages.walk(reader, 5), await world.pages.oracle(reader))
})

/**
 * A settled feed's marker lies a window above its oldest id. An older id that still arrives in time will set a lower
 * floor once the marker is trimmed away, so posts between the two floors have to be backfilled as well.
 */
test('backfill-lowest: posts between the marker and the floor to come are backfilled', async t => {
  const world = await openWriteWorld(t, { cap: 3, slack: 0 })
  const [reader, author] = await pair(world)
  const [busy] = (await world.users('busy')) as [number]
  const list = `feed:${reader}` as const
  await world.change('follow', reader, busy)
  await world.settle()
  const start = world.clock.now()
  const idAt = (ms: number): PostId =>
    makePostId(start + ms, shardOfAuthor(busy), Math.abs(ms) % 4096)
  await world.pages.build(list)
  for (const ms of [0, 1, 2, 3]) await world.feeds.push([{ list, id: idAt(ms) }])
  await world.feeds.settle(list)
  await world.feeds.push([{ list, id: idAt(-5000) }])
  await world.clock.advance(WINDOW_MS - 3000)
  const between = await world.post(author)
  await world.change('follow', reader, author)
  for (const ms of [27_100, 27_200]) {
    await world.feeds.push([{ list, id: idAt(ms) }])
    const taken = await world.feeds.take(list, END, 10)
    assert.equal(taken.state, 'warm')
    assert.ok(taken.floor >= between || taken.ids.includes(between), 'a hole above the floor')
  }
})
