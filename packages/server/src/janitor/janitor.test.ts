import assert from 'node:assert/strict'
import test from 'node:test'
import { openWriteWorld, type WriteWorld } from '../../../../testkit/write-world.ts'
import { DAY_MS } from '../domain/limits.ts'
import { END } from '../domain/post-id.ts'
import { adoptEpoch } from './adopt-epoch.ts'
import { cleanCuts } from './clean-cuts.ts'
import { type JanitorContext, janitorOnce, janitorTasks } from './janitor.ts'
import { createSeen, flushSeen } from './seen.ts'

function contextOf(world: WriteWorld): JanitorContext {
  const { store, feeds, limits } = world
  return { store, feeds, limits, telemetry: world.telemetry, seen: createSeen() }
}

async function unfollowed(world: WriteWorld): Promise<[number, number]> {
  const [reader, author] = (await world.users('reader', 'author')) as [number, number]
  await world.change('follow', reader, author)
  await world.settle()
  await world.pages.build(`feed:${reader}`)
  await world.post(author)
  await world.settle()
  await world.change('unfollow', reader, author)
  return [reader, author]
}

test('a cut is kept until long after the worker has seen the unfollow', async t => {
  const world = await openWriteWorld(t)
  const [reader, author] = await unfollowed(world)
  await world.clock.advance(2 * world.limits.cutMs)
  assert.equal(await cleanCuts(world, 10), 0)
  await world.settle()
  await world.clock.advance(world.limits.cutMs - 1)
  assert.equal(await cleanCuts(world, 10), 0)
  assert.ok((await world.store.rules(reader)).cuts.has(author))
  await world.pages.build(`feed:${reader}`)
  await world.clock.advance(1)
  assert.deepEqual(await world.pages.walk(reader, 3), [])
  assert.ok('rules' in (await world.feeds.rules(reader)))
  assert.equal(await cleanCuts(world, 10), 1)
  assert.ok('lease' in (await world.feeds.rules(reader)))
  assert.equal(await world.warm(`feed:${reader}`), null)
  assert.ok(!(await world.store.rules(reader)).cuts.has(author))
  assert.deepEqual(await world.pages.walk(reader, 3), [])
})

test('the feed goes before the cut', async t => {
  const world = await openWriteWorld(t)
  const [reader] = await unfollowed(world)
  await world.settle()
  await world.clock.advance(world.limits.cutMs)
  world.faults.store.removeCut = async cut => {
    assert.equal(await world.warm(`feed:${reader}`), null)
    return world.plain.store.removeCut(cut)
  }
  assert.equal(await cleanCuts(world, 10), 1)
})

test('a later unfollow of the same pair keeps its own cut', async t => {
  const world = await openWriteWorld(t)
  const [reader, author] = await unfollowed(world)
  await world.settle()
  await world.clock.advance(world.limits.cutMs)
  world.faults.feeds.drop = async lists => {
    await world.change('follow', reader, author)
    await world.change('unfollow', reader, author)
    return world.plain.feeds.drop(lists)
  }
  await cleanCuts(world, 10)
  assert.ok((await world.store.rules(reader)).cuts.has(author))
})

test('readers are noted in memory, written in one batch, and kept when that fails', async () => {
  const seen = createSeen()
  for (const reader of [1, 2, 2, 3]) seen.note(reader)
  const written: (readonly number[])[] = []
  const failing = { touchReaders: () => Promise.reject(new Error('down')) }
  await assert.rejects(flushSeen({ store: failing, seen }, 2), /down/)
  const store = { touchReaders: async (readers: readonly number[]) => void written.push(readers) }
  assert.equal(await flushSeen({ store, seen }, 2), 2)
  assert.equal(await flushSeen({ store, seen }, 2), 1)
  assert.equal(await flushSeen({ store, seen }, 2), 0)
  assert.deepEqual(written.flat().toSorted(), [1, 2, 3])
})

test('the tasks have own names and periods, and a round flushes counts', async t => {
  const world = await openWriteWorld(t)
  const context = contextOf(world)
  const names = janitorTasks(context).map(({ name }) => name)
  assert.equal(new Set(names).size, names.length)
  assert.ok(janitorTasks(context).every(({ periodMs }) => periodMs >= 1000))
  const [a, b] = (await world.users('a', 'b')) as [number, number]
  const post = await world.post(a)
  await world.store.like(b, post)
  context.seen.note(b)
  await janitorOnce(context)
  assert.equal((await world.store.likeCounts([post])).get(post), 1)
  assert.deepEqual(context.seen.take(10), [])
})

test('keys that have expired go on at once, however many', async t => {
  const world = await openWriteWorld(t)
  const [a] = (await world.users('a')) as [number]
  const keys = Array.from({ length: 25_000 }, (_, n) => ({ owner: a, key: `${n}`, hash: 'h' }))
  for (const key of keys) await world.store.openKey(key)
  await world.clock.advance(2 * DAY_MS)
  const expire = janitorTasks(contextOf(world)).find(({ name }) => name === 'expire_store')
  let rounds = 1
  while (((await expire?.once()) ?? 0) > 0) rounds++
  assert.equal(rounds, 3)
  assert.equal(await world.store.expire(1), 0)
})

test('what is left of a deleted account is cleaned round by round', async t => {
  const world = await openWriteWorld(t)
  const [a] = (await world.users('a')) as [number]
  const post = await world.post(a)
  await world.store.setStatus(a, 'gone')
  const context = contextOf(world)
  while ((await janitorOnce(context)) > 0);
  const [left] = await world.store.postsByIds([post])
  assert.equal(left?.deleted, true)
})

test('a raised epoch empties the feeds once', async t => {
  const world = await openWriteWorld(t)
  const [reader] = (await world.users('reader')) as [number]
  const context = contextOf(world)
  await adoptEpoch(context)
  await world.pages.build(`feed:${reader}`)
  await adoptEpoch(context)
  assert.equal((await world.feeds.take(`feed:${reader}`, END, 1)).state, 'warm')
  await world.store.raiseEpoch()
  await adoptEpoch(context)
  assert.equal((await world.feeds.take(`feed:${reader}`, END, 1)).state, 'cold')
})
