import assert from 'node:assert/strict'
import test from 'node:test'
import { openWriteWorld } from '../../../../testkit/write-world.ts'
import { Problem } from '../domain/errors.ts'
import { createPost, deletePost, editPost } from './posts.ts'
import { setStatus } from './users.ts'

const down = () => Promise.reject(new Problem('unavailable'))
const text = { content: 'text', attrs: {} }

test('the own post is in the own feed before the answer', async t => {
  const world = await openWriteWorld(t)
  const [a] = (await world.users('a')) as [number]
  await world.pages.build(`feed:${a}`)
  const { value } = await createPost(world, { author: a, ...text })
  assert.deepEqual(await world.warm(`feed:${a}`), [value.post.id])
})

test('a post stands when Feeds fails, and the worker pushes it', async t => {
  const world = await openWriteWorld(t)
  const [a] = (await world.users('a')) as [number]
  await world.pages.build(`feed:${a}`)
  world.faults.feeds.push = down
  const id = await world.post(a)
  assert.equal(world.telemetry.counts.get('effect_failures'), 1)
  assert.deepEqual(await world.warm(`feed:${a}`), [])
  delete world.faults.feeds.push
  await world.settle()
  assert.deepEqual(await world.warm(`feed:${a}`), [id])
})

test('a replayed post is pushed again: the first process may have died before', async t => {
  const world = await openWriteWorld(t)
  const [a] = (await world.users('a')) as [number]
  await world.pages.build(`feed:${a}`)
  const key = { owner: a, key: 'k', hash: 'h' }
  const stored = await world.store.publish({ author: a, ...text }, key)
  const again = await createPost(world, { author: a, ...text }, key)
  assert.equal(again.replayed, true)
  assert.deepEqual(await world.warm(`feed:${a}`), [stored.value.post.id])
})

test('edits and deletes are announced', async t => {
  const world = await openWriteWorld(t)
  const [a] = (await world.users('a')) as [number]
  const id = await world.post(a)
  const heard: unknown[] = []
  world.feeds.subscribe(change => heard.push(change.posts))
  const edited = await editPost(world, a, id, { content: 'other' })
  assert.equal(edited.value.content, 'other')
  await deletePost(world, a, id)
  assert.deepEqual(heard, [[id], [id]])
})

test('a delete or a suspension that was not announced is not acknowledged, and can be repeated', async t => {
  const world = await openWriteWorld(t)
  const [a, b] = (await world.users('a', 'b')) as [number, number]
  const id = await world.post(a)
  world.faults.feeds.announce = down
  await assert.rejects(deletePost(world, a, id), { code: 'unavailable' })
  await assert.rejects(setStatus(world, b, 'suspended'), { code: 'unavailable' })
  delete world.faults.feeds.announce
  await deletePost(world, a, id)
  const { value } = await setStatus(world, b, 'suspended')
  assert.equal(value.status, 'suspended')
})

test('an edit stands when it could not be announced: the worker does it again', async t => {
  const world = await openWriteWorld(t)
  const [a] = (await world.users('a')) as [number]
  const id = await world.post(a)
  world.faults.feeds.announce = down
  const { value } = await editPost(world, a, id, { content: 'other' })
  assert.equal(value.content, 'other')
  delete world.faults.feeds.announce
  const heard: unknown[] = []
  world.feeds.subscribe(change => heard.push(change.posts))
  await world.settle()
  assert.deepEqual(heard, [[id]])
})

test('bad text is refused before anything is stored', async t => {
  const world = await openWriteWorld(t)
  const [a] = (await world.users('a')) as [number]
  const id = await world.post(a)
  const before = await world.store.stats()
  await assert.rejects(world.post(a, '\0'), { code: 'invalid_text' })
  await assert.rejects(editPost(world, a, id, { content: '' }), { code: 'invalid_request' })
  assert.deepEqual(await world.store.stats(), before)
})
