import assert from 'node:assert/strict'
import test from 'node:test'
import { openWriteWorld } from '../../../../testkit/write-world.ts'
import { putUser, setStatus } from './users.ts'

test('a profile is announced', async t => {
  const world = await openWriteWorld(t)
  const heard: unknown[] = []
  world.feeds.subscribe(change => heard.push(change.users))
  const { value } = await putUser(world, 'ann', { name: 'Ann' })
  assert.equal(value.name, 'Ann')
  assert.deepEqual(heard, [[value.number]])
  await assert.rejects(putUser(world, 'ann', { name: '\0' }), { code: 'invalid_text' })
})

test('a suspended author is on no page, and back on every page when it is lifted', async t => {
  const world = await openWriteWorld(t, { slice: 1 })
  const [author, warm, built] = (await world.users('author', 'warm', 'built')) as [
    number,
    number,
    number
  ]
  for (const reader of [warm, built]) await world.change('follow', reader, author)
  const post = await world.post(author)
  await world.settle()
  await world.pages.build(`feed:${warm}`)
  await setStatus(world, author, 'suspended')
  await world.settle()
  await world.pages.build(`feed:${built}`)
  await world.pages.build(`feed:${author}`)
  for (const reader of [warm, built]) assert.deepEqual(await world.pages.walk(reader, 3), [])
  await setStatus(world, author, 'active')
  for (const reader of [author, warm, built]) {
    assert.deepEqual(await world.pages.walk(reader, 3), [post])
    await world.pages.build(`feed:${reader}`)
    assert.deepEqual(await world.pages.walk(reader, 3), [post])
  }
})

test('a deleted account leaves every page', async t => {
  const world = await openWriteWorld(t)
  const [author, reader] = (await world.users('author', 'reader')) as [number, number]
  await world.change('follow', reader, author)
  await world.post(author)
  await world.settle()
  await world.pages.build(`feed:${reader}`)
  await setStatus(world, author, 'gone')
  assert.deepEqual(await world.pages.walk(reader, 3), [])
})
