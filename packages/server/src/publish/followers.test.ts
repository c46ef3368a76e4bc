import assert from 'node:assert/strict'
import test from 'node:test'
import { openWriteWorld, type WriteWorld } from '../../../../testkit/write-world.ts'
import { Problem } from '../domain/errors.ts'
import { NO_RULES } from '../domain/rules.ts'
import { changeFollower } from './followers.ts'
import { changeRelation } from './relations.ts'
import { putUser } from './users.ts'

const down = () => Promise.reject(new Problem('unavailable'))

/** A reader with a warm feed who asks a private author of one post. */
async function asked(world: WriteWorld) {
  const [reader, author] = (await world.users('reader', 'author')) as [number, number]
  await putUser(world, 'author', { visibility: 'private' })
  const post = await world.post(author)
  await world.settle()
  await world.pages.build(`feed:${reader}`)
  const { value } = await changeRelation(world, 'follow', reader, author)
  assert.equal(value, 'requested')
  return { reader, author, post }
}

async function cacheRules(world: WriteWorld, reader: number): Promise<void> {
  const read = await world.feeds.rules(reader)
  if ('lease' in read && read.lease) await world.feeds.fillRules(reader, read.lease, NO_RULES)
}

async function isCached(world: WriteWorld, reader: number): Promise<boolean> {
  return 'rules' in (await world.feeds.rules(reader))
}

test('a request changes no feed; accepted, it backfills as a follow does', async t => {
  const world = await openWriteWorld(t)
  const { reader, author, post } = await asked(world)
  await world.settle()
  assert.deepEqual(await world.warm(`feed:${reader}`), [])
  await cacheRules(world, reader)
  await changeFollower(world, 'acceptRequest', author, reader)
  assert.equal(await isCached(world, reader), false)
  assert.deepEqual(await world.warm(`feed:${reader}`), [post])
})

test('an accept whose effects were lost is made whole by its event, or by itself once more', async t => {
  const world = await openWriteWorld(t)
  const { reader, author, post } = await asked(world)
  world.faults.feeds.push = down
  await changeFollower(world, 'acceptRequest', author, reader)
  delete world.faults.feeds.push
  assert.deepEqual(await world.warm(`feed:${reader}`), [])
  assert.equal((await changeFollower(world, 'acceptRequest', author, reader)).value, false)
  assert.deepEqual(await world.warm(`feed:${reader}`), [post])
  await world.feeds.remove(`feed:${reader}`, [post])
  await world.settle()
  assert.deepEqual(await world.warm(`feed:${reader}`), [post])
})

test('an accept that is repeated under its key brings back nobody who was removed meanwhile', async t => {
  const world = await openWriteWorld(t)
  const { reader, author } = await asked(world)
  const key = { owner: author, key: 'k', hash: 'h' }
  await changeFollower(world, 'acceptRequest', author, reader, key)
  await changeFollower(world, 'removeFollower', author, reader)
  await world.settle()
  for (const cut of await world.store.ripeCuts(0, 10)) await world.store.removeCut(cut)
  await world.feeds.drop([`feed:${reader}`])
  await world.pages.build(`feed:${reader}`)
  const again = await changeFollower(world, 'acceptRequest', author, reader, key)
  assert.deepEqual(again, { value: true, replayed: true })
  assert.deepEqual(await world.warm(`feed:${reader}`), [])
})

test('the removal of a follower drops their rules, or says that it could not', async t => {
  const world = await openWriteWorld(t)
  const { reader, author, post } = await asked(world)
  await changeFollower(world, 'acceptRequest', author, reader)
  assert.deepEqual(await world.pages.walk(reader, 3), [post])
  world.faults.feeds.dropRules = down
  const removal = () => changeFollower(world, 'removeFollower', author, reader)
  await assert.rejects(removal(), { code: 'unavailable' })
  delete world.faults.feeds.dropRules
  assert.equal((await removal()).value, false)
  assert.deepEqual(await world.pages.walk(reader, 3), [])
  await assert.rejects(changeFollower(world, 'removeFollower', author, author), {
    code: 'self_relation'
  })
})

test('a turn to private that not every server heard of is not acknowledged', async t => {
  const world = await openWriteWorld(t)
  const [reader, author] = (await world.users('reader', 'author')) as [number, number]
  const post = await world.post(author)
  await world.pages.pager.post(reader, post)
  world.faults.feeds.announce = down
  const turn = () => putUser(world, 'author', { visibility: 'private' })
  await assert.rejects(turn(), { code: 'unavailable' })
  delete world.faults.feeds.announce
  await turn()
  await assert.rejects(world.pages.pager.post(reader, post), { code: 'post_not_found' })
})

test('a turn to public accepts as many as an answer waits for, and the rest later', async t => {
  const world = await openWriteWorld(t)
  const { reader, author, post } = await asked(world)
  const others = await world.users(...Array.from({ length: 120 }, (_, at) => `r${at}`))
  for (const other of others) await changeRelation(world, 'follow', other, author)
  await putUser(world, 'author', { visibility: 'public' })
  assert.deepEqual(await world.warm(`feed:${reader}`), [post])
  const followers = async () => (await world.store.followerSlice(author, 0, 1000)).length
  assert.equal(await followers(), 100)
  assert.equal((await world.store.acceptOpened(1000)).length, 21)
  assert.equal(await followers(), 121)
})

test('a turn to public that nobody could follow up is finished without it', async t => {
  const world = await openWriteWorld(t)
  const { reader, author, post } = await asked(world)
  world.faults.store.acceptOpened = down
  await putUser(world, 'author', { visibility: 'public' })
  delete world.faults.store.acceptOpened
  assert.equal((await world.store.acceptOpened(10)).length, 1)
  await world.settle()
  assert.deepEqual(await world.warm(`feed:${reader}`), [post])
  assert.deepEqual(await world.store.followerSlice(author, 0, 10), [reader])
})
