import assert from 'node:assert/strict'
import test from 'node:test'
import { openWriteWorld, type WriteWorld } from '../../../../testkit/write-world.ts'
import { Problem } from '../domain/errors.ts'
import { BACKLOG_MS } from '../domain/limits.ts'
import type { ListKey } from '../ports/feeds.ts'
import type { ImportBatch } from './check-batch.ts'
import { importBatch } from './import-batch.ts'

const text = { content: 'text' }
const ID = '1000000000000000001'

async function feedOf(world: WriteWorld, id: string): Promise<ListKey> {
  const [user] = await world.store.usersByIds([id])
  return `feed:${user?.number ?? 0}`
}

function batch(now: number): ImportBatch {
  return {
    users: [{ id: 'ann', name: 'Ann' }],
    follows: [{ follower: 'bob', followee: 'ann' }],
    posts: [
      { author: 'ann', ...text, createdAt: now - 1000, externalId: '1' },
      { author: 'cy', ...text, externalId: '1' }
    ],
    likes: [
      { user: 'dee', author: 'ann', externalId: '1' },
      { user: 'ann', author: 'cy', externalId: '1' }
    ]
  }
}

test('a batch makes what it names, and a second time changes nothing', async t => {
  const world = await openWriteWorld(t)
  const first = await importBatch(world, batch(world.clock.now()))
  assert.deepEqual(first.created, { users: 4, follows: 1, posts: 2, likes: 2 })
  assert.equal(new Set(first.postIds).size, 2)
  const stats = await world.store.stats()
  const again = await importBatch(world, batch(world.clock.now()))
  assert.deepEqual(again.created, { users: 0, follows: 0, posts: 0, likes: 0 })
  assert.deepEqual(again.postIds, first.postIds)
  const after = await world.store.stats()
  assert.deepEqual(
    [after.users, after.posts, after.follows, after.likes],
    [stats.users, stats.posts, stats.follows, stats.likes]
  )
})

test('an empty batch is fine', async t => {
  const world = await openWriteWorld(t)
  const made = await importBatch(world, {})
  const created = { users: 0, follows: 0, posts: 0, likes: 0 }
  assert.deepEqual(made, { created, skipped: { follows: 0, likes: 0 }, postIds: [] })
})

test('young posts are in the own feed at once; old ones drop it', async t => {
  const world = await openWriteWorld(t)
  const now = world.clock.now()
  const [young, old] = (await world.users('young', 'old')) as [number, number]
  await world.pages.build(`feed:${young}`)
  await world.pages.build(`feed:${old}`)
  const { postIds } = await importBatch(world, {
    posts: [
      { author: 'young', ...text, createdAt: now },
      { author: 'young', ...text, createdAt: now - 60_000 },
      { author: 'old', ...text, createdAt: now - BACKLOG_MS - 1 },
      { author: 'old', ...text, createdAt: now }
    ]
  })
  assert.deepEqual(await world.warm(`feed:${young}`), postIds.slice(0, 2))
  assert.equal(await world.warm(`feed:${old}`), null)
})

test('a few follows are backfilled; many at once drop the feed', async t => {
  const world = await openWriteWorld(t, { backfillAuthors: 2 })
  const [few, many] = (await world.users('few', 'many')) as [number, number]
  const { postIds } = await importBatch(world, {
    posts: ['x', 'y', 'z'].map(author => ({ author, ...text }))
  })
  await world.pages.build(`feed:${few}`)
  await world.pages.build(`feed:${many}`)
  const follow = (follower: string) => (followee: string) => ({ follower, followee })
  await importBatch(world, {
    follows: [...['x', 'y'].map(follow('few')), ...['x', 'y', 'z'].map(follow('many'))]
  })
  assert.deepEqual(
    await world.warm(await feedOf(world, 'few')),
    postIds.slice(0, 2).toSorted().toReversed()
  )
  assert.equal(await world.warm(await feedOf(world, 'many')), null)
})

test('the rules of all readers concerned are dropped, or the batch is not acknowledged', async t => {
  const world = await openWriteWorld(t)
  const follows = [{ follower: 'a', followee: 'b' }]
  world.faults.feeds.dropRules = () => Promise.reject(new Problem('unavailable'))
  await assert.rejects(importBatch(world, { follows }), { code: 'unavailable' })
  const dropped: number[] = []
  world.faults.feeds.dropRules = async readers => {
    dropped.push(...readers)
  }
  const { created } = await importBatch(world, { follows })
  assert.equal(created.follows, 0)
  const [a] = await world.store.usersByIds(['a'])
  assert.deepEqual(dropped, [a?.number])
})

test('a like of an unknown post is refused by name', async t => {
  const world = await openWriteWorld(t)
  const likes = [{ user: 'a', author: 'b', externalId: 'unknown' }]
  await assert.rejects(importBatch(world, { likes }), {
    code: 'post_not_found',
    message: /likes\[0\]/
  })
})

test('a batch that is refused has changed nothing', async t => {
  const world = await openWriteWorld(t)
  const [held = 0, gone = 0] = await world.users('held', 'gone')
  await world.store.setStatus(held, 'suspended')
  await world.store.setStatus(gone, 'gone')
  const before = await world.store.stats()
  const whole: ImportBatch = {
    users: [{ id: 'a' }, { id: 'b' }],
    follows: [{ follower: 'a', followee: 'b' }],
    posts: [{ author: 'a', ...text, externalId: '1' }],
    likes: [{ user: 'b', author: 'a', externalId: '1' }]
  }
  const far = world.clock.now() + 6000
  const cases: [ImportBatch, string, RegExp][] = [
    [{ posts: [{ author: 'a', content: '\0' }] }, 'invalid_text', /posts\[0\]/],
    [{ posts: [{ author: 'a', ...text, createdAt: 0 }] }, 'time_out_of_range', /1985-02-09T22:45/],
    [{ posts: [{ author: 'a', ...text, createdAt: far }] }, 'time_out_of_range', /posts\[0\]/],
    [{ likes: [{ user: 'a', author: 'b', externalId: '1' }] }, 'post_not_found', /likes\[0\]/],
    [{ likes: [{ user: 'a', author: 'x', externalId: '1' }] }, 'post_not_found', /likes\[0\]/],
    [{ likes: [{ user: 'a', post: ID }] }, 'post_not_found', /likes\[0\]/],
    [{ users: [{ id: 'gone' }] }, 'account_gone', /users\[0\].*"gone"/]
  ]
  for (const [id, code] of [
    ['held', 'account_suspended'],
    ['gone', 'account_gone']
  ] as const) {
    cases.push([{ posts: [{ author: id, ...text }] }, code, /posts\[0\]/])
    cases.push([{ follows: [{ follower: id, followee: 'a' }] }, code, /follows\[0\]/])
    cases.push([{ ...whole, likes: [{ user: id, author: 'a', externalId: '1' }] }, code, /likes/])
  }
  for (const [bad, code, message] of cases) {
    await assert.rejects(importBatch(world, { ...whole, ...bad }), { code, message })
    assert.deepEqual(await world.store.stats(), before)
  }
})

test('what the rules between people leave out is told', async t => {
  const world = await openWriteWorld(t)
  const [ann = 0, bob = 0, gone = 0] = await world.users('ann', 'bob', 'gone')
  const { postIds } = await importBatch(world, {
    posts: [
      { author: 'ann', ...text },
      { author: 'cid', ...text, externalId: '1' }
    ]
  })
  await world.store.block(ann, bob)
  await world.store.setStatus(gone, 'gone')
  const [cid] = await world.store.usersByIds(['cid'])
  await world.store.deletePost(cid?.number ?? 0, postIds[1] ?? '')
  const follow = (follower: string) => (followee: string) => ({ follower, followee })
  const given: ImportBatch = {
    follows: [...['ann', 'gone', 'cid'].map(follow('bob')), ...['x', 'y'].map(follow('dee'))],
    likes: [
      { user: 'bob', post: postIds[0] ?? '' },
      { user: 'dee', post: postIds[0] ?? '' },
      { user: 'dee', author: 'cid', externalId: '1' }
    ]
  }
  const first = await importBatch(world, given)
  assert.deepEqual([first.created.follows, first.created.likes], [3, 1])
  assert.deepEqual(first.skipped, { follows: 2, likes: 2 })
  const again = await importBatch(world, given)
  assert.deepEqual([again.created.follows, again.created.likes], [0, 0])
  assert.deepEqual(again.skipped, first.skipped)
})

const one = { author: 'ada', ...text }

const refused: readonly [string, ImportBatch, string, RegExp][] = [
  [
    '1,001 entries',
    { posts: Array(501).fill(one), follows: Array(500).fill({ follower: 'a', followee: 'b' }) },
    'invalid_request',
    /1001/
  ],
  [
    'a like of nothing',
    { likes: [{ user: 'ada' }] },
    'invalid_request',
    /likes\[0\] must have either post, or author and externalId/
  ],
  [
    'a like by half',
    { likes: [{ user: 'ada', author: 'bob' }] },
    'invalid_request',
    /either post, or/
  ],
  [
    'a like in two ways',
    { likes: [{ user: 'ada', post: ID, author: 'bob', externalId: 'x' }] },
    'invalid_request',
    /either post, or/
  ],
  [
    'a like of an id that no post can have',
    { likes: [{ user: 'ada', post: '9999999999999999999' }] },
    'post_not_found',
    /likes\[0\]/
  ]
]

for (const [name, given, code, message] of refused) {
  test(`refused: ${name}`, async t => {
    const world = await openWriteWorld(t)
    await assert.rejects(importBatch(world, given), { code, message })
    assert.equal((await world.store.stats()).users, 0)
  })
}

test('changed profiles are announced', async t => {
  const world = await openWriteWorld(t)
  const [a] = (await world.users('a')) as [number]
  const heard: unknown[] = []
  world.feeds.subscribe(change => heard.push(change.users))
  await importBatch(world, { users: [{ id: 'a', name: 'A' }] })
  assert.deepEqual(heard, [[a]])
})
