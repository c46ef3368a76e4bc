// Requests that are repeated, and that meet.
import assert from 'node:assert/strict'
import type { FeedApi, Post, WriteOptions } from '@fanwise/sdk'
import { following, scenario, type World, walkHome } from './world.ts'

const again = { idempotencyKey: 'again' }

scenario(
  'CC-07: one key makes one post, and replays its answer without words that were deleted',
  {},
  async world => {
    const write = { idempotencyKey: 'key-1' }
    const a = world.as('a')
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => a.createPost({ content: 'once' }, write))
    )
    for (const answer of answers) assert.deepEqual(answer, answers[0])
    const [id = ''] = await walkHome(world, 'a')
    assert.deepEqual(await walkHome(world, 'a'), [id])
    await assert.rejects(a.createPost({ content: 'other' }, write), {
      code: 'idempotency_conflict'
    })
    assert.deepEqual(await a.createPost({ content: 'once' }, write), answers[0])
    await a.editPost(id, { content: 'edited' })
    assert.deepEqual(await a.createPost({ content: 'once' }, write), answers[0], 'as it was made')
    assert.equal((await a.getPost(id)).content, 'edited')
    await a.deletePost(id)
    assert.deepEqual(await a.createPost({ content: 'once' }, write), { ...answers[0], content: '' })
    assert.deepEqual(await walkHome(world, 'a'), [])
    assert.notEqual((await world.as('b').createPost({ content: 'other' }, write)).id, id)
  }
)

scenario(
  'CC-07: one key makes one batch, also after its posts were edited and deleted',
  {},
  async world => {
    const batch = {
      users: [{ id: 'a' }, { id: 'v' }],
      follows: [{ follower: 'v', followee: 'a' }],
      posts: [
        { author: 'a', content: 'first' },
        { author: 'a', content: 'second' }
      ]
    }
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => world.admin.batch(batch, again))
    )
    for (const answer of answers) assert.deepEqual(answer, answers[0])
    const [first = '', second = ''] = answers[0]?.postIds ?? []
    await world.as('a').editPost(first, { content: 'edited' })
    await world.as('a').deletePost(second)
    await world.as('v').unfollow('a')
    assert.deepEqual(await world.admin.batch(batch, again), answers[0])
    await world.settle()
    assert.deepEqual(await walkHome(world, 'a'), [first])
    assert.deepEqual(await walkHome(world, 'v'), [], 'not followed again')
    assert.equal((await world.as('a').getPost(first)).content, 'edited')
    await assert.rejects(world.admin.batch({ users: batch.users }, again), {
      code: 'idempotency_conflict'
    })
  }
)

type Change = (a: FeedApi, post: Post, write: WriteOptions) => Promise<unknown>

/** Each changes something the first time; then all of it is undone by hand, and the same request comes again. */
const CHANGES: readonly [name: string, change: Change][] = [
  ['edit', (a, post, write) => a.editPost(post.id, { content: 'changed' }, write)],
  ['like', (a, post, write) => a.like(post.id, write)],
  ['hide', (a, post, write) => a.hide(post.id, write)],
  ['follow', (a, _, write) => a.follow('b', write)],
  ['mute', (a, _, write) => a.mute('b', write)],
  ['block', (a, _, write) => a.block('c', write)],
  ['profile', (a, _, write) => a.putUser('a', { name: 'Ann' }, write)]
]

async function undoAll(world: World, post: Post): Promise<void> {
  const a = world.as('a')
  await a.editPost(post.id, { content: 'own' })
  await Promise.all([a.unlike(post.id), a.unhide(post.id), a.unfollow('b'), a.unmute('b')])
  await a.unblock('c')
  await a.putUser('a', { name: null })
}

scenario('CC-07: a change under a key is done once, whatever came after it', {}, async world => {
  await world.admin.batch({ users: ['a', 'b', 'c'].map(id => ({ id })) })
  for (const [name, change] of CHANGES) {
    const a = world.as('a')
    const post = await a.createPost({ content: 'own' })
    const write = { idempotencyKey: name }
    await change(a, post, write)
    await undoAll(world, post)
    await change(a, post, write)
    const read = await a.getPost(post.id)
    const lists = await Promise.all([a.following('a'), a.mutes(), a.blocks()])
    assert.equal(read.content, 'own', name)
    assert.equal(read.viewer.liked, false, name)
    assert.deepEqual(
      lists.flatMap(({ items }) => items),
      [],
      name
    )
    assert.equal((await a.getUser('a')).name, null, name)
    assert.ok((await walkHome(world, 'a')).includes(post.id), name)
  }
})

scenario(
  'CC-17: two deletions and an edit of one post at once: it is gone, and nobody fails',
  {},
  async world => {
    await following(world, 'v', 'a')
    for (let round = 0; round < 5; round++) {
      const { id } = await world.as('a').createPost({ content: 'short-lived' })
      const results = await Promise.allSettled([
        world.as('a').deletePost(id),
        world.as('a').editPost(id, { content: 'edited' }),
        world.as('a').deletePost(id),
        world.as('v').like(id)
      ])
      for (const result of results)
        if (result.status === 'rejected') assert.equal(result.reason.code, 'post_not_found')
      await assert.rejects(world.as('v').getPost(id), { code: 'post_not_found' })
    }
    await world.settle()
    assert.deepEqual(await walkHome(world, 'v'), [])
    assert.equal((await world.admin.stats()).outboxDead, 0)
  }
)

scenario('CC-18: users who meet at their first request are made once', {}, async world => {
  const posts = await Promise.all(
    Array.from({ length: 12 }, (_, n) => world.as('fresh').createPost({ content: `${n}` }))
  )
  await Promise.all([
    world.admin.batch({ users: [{ id: 'fresh', name: 'Fresh' }, { id: 'x' }] }),
    world.admin.batch({ users: [{ id: 'x' }, { id: 'fresh', name: 'Fresh' }] }),
    world.as('x').putUser('x', {})
  ])
  assert.deepEqual(
    await walkHome(world, 'fresh'),
    posts
      .map(({ id }) => id)
      .sort()
      .reverse()
  )
  assert.equal((await world.admin.stats()).users, 2)
})
