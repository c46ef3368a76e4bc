import assert from 'node:assert/strict'
import test from 'node:test'
import type { Batch } from '@fanwise/sdk'
import { openWriteWorld, type WriteWorld } from '../../../../testkit/write-world.ts'
import { Problem } from '../domain/errors.ts'
import { createBatch } from './batch.ts'

const key = { idempotencyKey: 'import-1' }
const posts = [
  { author: 'ann', content: 'same' },
  { author: 'ann', content: 'same' }
]
const whole: Batch = {
  users: [{ id: 'ann', name: 'Ann' }],
  follows: [{ follower: 'bob', followee: 'ann' }],
  posts: [...posts, { author: 'ann', content: 'named', externalId: '1' }],
  likes: [{ user: 'bob', author: 'ann', externalId: '1' }]
}

async function numbers(world: WriteWorld): Promise<number[]> {
  const { users, posts, follows, likes } = await world.store.stats()
  return [users, posts, follows, likes]
}

for (const kind of ['memory', 'postgres'] as const) {
  test(`${kind}: a batch under a key is done once, and its result is kept`, async t => {
    const world = await openWriteWorld(t, {}, kind)
    const batch = createBatch(world)
    const first = await batch(whole, key)
    assert.deepEqual(first.created, { users: 2, follows: 1, posts: 3, likes: 1 })
    assert.deepEqual(await batch(whole, key), first)
    assert.deepEqual(await numbers(world), [2, 3, 1, 1])
    await assert.rejects(batch({ posts }, key), { code: 'idempotency_conflict' })
    const other = await batch({ posts }, { idempotencyKey: 'import-2' })
    assert.equal(other.created.posts, 2)
    assert.equal((await batch({ posts })).created.posts, 2)
  })

  test(`${kind}: requests with one key at the same time get one result`, async t => {
    const world = await openWriteWorld(t, {}, kind)
    const here = createBatch(world)
    const elsewhere = createBatch(world)
    const results = await Promise.all([here, elsewhere, here].map(batch => batch(whole, key)))
    for (const result of results) assert.deepEqual(result, results[0])
    assert.equal(results[0]?.created.posts, 3)
    assert.deepEqual(await numbers(world), [2, 3, 1, 1])
    const alone = { idempotencyKey: 'import-2' }
    const again = { users: [{ id: 'cid' }], posts }
    const exact = await Promise.all([here(again, alone), here(again, alone)])
    assert.deepEqual(exact[0], exact[1])
    assert.deepEqual(exact[0]?.created, { users: 1, follows: 0, posts: 2, likes: 0 })
  })

  test(`${kind}: a batch that was cut off anywhere goes on and makes nothing twice`, async t => {
    const world = await openWriteWorld(t, {}, kind)
    const down = async (): Promise<never> => {
      throw new Problem('unavailable')
    }
    await createBatch(world)(whole)
    const unnamed = { ...whole, posts }
    for (const method of ['putUsers', 'followMany', 'importPosts', 'likeMany', 'closeKey'] as const)
      for (const when of ['before', 'after']) {
        const cut = { idempotencyKey: `${method} ${when}` }
        const [, before = 0] = await numbers(world)
        const real = world.plain.store[method] as (...args: never[]) => Promise<unknown>
        world.faults.store[method] = async (...args: never[]) => {
          if (when === 'after') await real(...args)
          return down()
        }
        await assert.rejects(createBatch(world)(unnamed, cut), { code: 'unavailable' })
        await assert.rejects(createBatch(world)(whole, cut), { code: 'idempotency_conflict' })
        delete world.faults.store[method]
        const result = await createBatch(world)(unnamed, cut)
        assert.equal(result.created.posts, 2, cut.idempotencyKey)
        assert.deepEqual(await createBatch(world)(unnamed, cut), result)
        assert.equal((await numbers(world))[1], before + 2)
      }
  })
}

test('a batch that is refused as it is has not taken its key', async t => {
  const world = await openWriteWorld(t)
  const batch = createBatch(world)
  await assert.rejects(batch({ posts: [{ author: 'ann', content: '' }] }, key), {
    code: 'invalid_request'
  })
  await assert.rejects(
    batch({ posts, likes: [{ user: 'ann', author: 'bob', externalId: '1' }] }, key),
    { code: 'post_not_found' }
  )
  const made = await batch({ posts }, key)
  assert.equal(made.created.posts, 2)
  const [ann] = await world.store.usersByIds(['ann'])
  await world.store.setStatus(ann?.number ?? 0, 'suspended')
  assert.deepEqual(await batch({ posts }, key), made)
  await assert.rejects(batch({ posts }), { code: 'account_suspended' })
})

test('posts that are made again after a day are no repetition', async t => {
  const world = await openWriteWorld(t)
  const batch = createBatch(world)
  world.faults.store.closeKey = () => Promise.reject(new Problem('unavailable'))
  await assert.rejects(batch({ posts }, key), Problem)
  delete world.faults.store.closeKey
  await world.clock.advance(25 * 3_600_000)
  assert.equal((await batch({ posts: posts.slice(1) }, key)).created.posts, 1)
})
