import assert from 'node:assert/strict'
import type { FollowRequestsQuery, PostId } from '@fanwise/sdk'
import { walk } from '../testkit/walk.ts'
import { following, postMany, scenario, type World, walkHome } from './world.ts'

const hidden = { code: 'post_not_found' }
const closed = { code: 'private_account' }

async function privately(world: World, ...users: string[]): Promise<void> {
  for (const user of users) await world.as(user).putUser(user, { visibility: 'private' })
}

/** Who stands in a list of requests, by pages of one. */
async function asking(world: World, user: string, direction?: 'outgoing'): Promise<string[]> {
  const ids: string[] = []
  const of: FollowRequestsQuery = { limit: 1, ...(direction && { direction }) }
  for (let query = of; ; ) {
    const page = await world.as(user).followRequests(query)
    ids.push(...page.items.map(({ id }) => id))
    if (page.nextCursor === null) return ids
    query = { ...of, cursor: page.nextCursor }
  }
}

const timeline = (world: World, reader: string, author: string) =>
  walk(query => world.as(reader).userPosts(author, query), 2)

/** Nobody who is not accepted sees a post, on any path. */
async function seesNothing(world: World, reader: string, author: string, ids: readonly PostId[]) {
  assert.deepEqual(await walkHome(world, reader), [])
  await assert.rejects(world.as(reader).userPosts(author), closed)
  for (const id of ids) {
    await assert.rejects(world.as(reader).getPost(id), hidden)
    await assert.rejects(world.as(reader).like(id), hidden)
    await assert.rejects(world.as(reader).hide(id), hidden)
    await assert.rejects(world.as(reader).editPost(id, { content: 'x' }), hidden)
  }
}

async function seesAll(world: World, reader: string, author: string, ids: readonly PostId[]) {
  assert.deepEqual(await walkHome(world, reader, 2), ids)
  assert.deepEqual(await timeline(world, reader, author), ids)
  for (const id of ids) assert.equal((await world.as(reader).getPost(id)).id, id)
}

async function verified(world: World, ...readers: string[]): Promise<void> {
  for (const reader of readers) {
    const { differences, examples } = await world.admin.verify(reader)
    assert.equal(differences, 0, JSON.stringify(examples))
  }
}

scenario(
  'PA-01: who asks sees nothing until they are accepted, then all',
  { cdc: true },
  async world => {
    await world.as('v').putUser('v', {})
    await privately(world, 'a')
    await walkHome(world, 'v')
    const old = await postMany(world, 'a', 3)
    assert.deepEqual(await world.as('v').follow('a'), { state: 'requested' })
    assert.deepEqual(await world.as('v').follow('a'), { state: 'requested' })
    const ids = [...(await postMany(world, 'a', 2)), ...old]
    await world.settle()
    await seesNothing(world, 'v', 'a', ids)
    const profile = await world.as('v').getUser('a')
    assert.deepEqual([profile.visibility, profile.counts.followers], ['private', 0])
    assert.deepEqual(await asking(world, 'a'), ['v'])
    assert.deepEqual(await asking(world, 'v', 'outgoing'), ['a'])
    await world.as('a').acceptRequest('v')
    await seesAll(world, 'v', 'a', ids)
    await world.as('v').like(ids[0] ?? '')
    await world.settle()
    await seesAll(world, 'v', 'a', ids)
    assert.deepEqual(await asking(world, 'a'), [])
    assert.equal((await world.as('v').getUser('a')).counts.followers, 1)
    assert.deepEqual(await world.as('v').follow('a'), { state: 'following' })
    await world.evict()
    await seesAll(world, 'v', 'a', ids)
    await verified(world, 'v', 'a')
  }
)

scenario('PA-02: a follower who is removed sees nothing from then on', {}, async world => {
  await following(world, 'v', 'a', 'b')
  const ids = await postMany(world, 'a', 3)
  const open = await postMany(world, 'b', 1)
  await world.settle()
  await world.as('b').removeFollower('b', 'v')
  assert.deepEqual(await walkHome(world, 'v'), ids)
  assert.deepEqual(await timeline(world, 'v', 'b'), open)
  await privately(world, 'a')
  await seesAll(world, 'v', 'a', ids)
  await world.as('a').removeFollower('a', 'v')
  await seesNothing(world, 'v', 'a', ids)
  await world.as('a').removeFollower('a', 'v')
  await assert.rejects(world.as('v').removeFollower('a', 'v'), { code: 'forbidden' })
  await world.settle()
  await seesNothing(world, 'v', 'a', ids)
  assert.equal((await world.as('a').getUser('a')).counts.followers, 0)
  assert.deepEqual(await world.as('v').follow('a'), { state: 'requested' })
  await seesNothing(world, 'v', 'a', ids)
  await world.as('a').acceptRequest('v')
  await seesAll(world, 'v', 'a', ids)
  await world.settle()
  await verified(world, 'v')
})

scenario('PA-03: requests are taken back, rejected, and made again', {}, async world => {
  for (const user of ['v', 'w', 'x']) await world.as(user).putUser(user, {})
  await privately(world, 'a')
  for (const user of ['v', 'w', 'x']) await world.as(user).follow('a')
  assert.deepEqual(await asking(world, 'a'), ['x', 'w', 'v'])
  await world.as('v').unfollow('a')
  await world.as('a').rejectRequest('w')
  await world.as('a').rejectRequest('w')
  assert.deepEqual(await asking(world, 'a'), ['x'])
  const missing = { code: 'request_not_found' }
  for (const user of ['v', 'w', 'nobody'])
    await assert.rejects(world.as('a').acceptRequest(user), missing)
  await assert.rejects(world.as('nobody').acceptRequest('v'), missing)
  await world.as('w').follow('a')
  assert.deepEqual(await asking(world, 'a'), ['w', 'x'])
  await world.admin.suspend('x')
  assert.deepEqual(await asking(world, 'a'), ['w'])
  await assert.rejects(world.as('a').acceptRequest('x'), missing)
  await world.admin.unsuspend('x')
  assert.deepEqual(await asking(world, 'a'), ['w', 'x'])
  await world.as('w').block('a')
  await assert.rejects(world.as('a').acceptRequest('w'), missing)
  await world.as('x').deleteMe()
  assert.deepEqual(await asking(world, 'a'), [])
  const { nextCursor } = await world.as('a').followRequests()
  assert.equal(nextCursor, null)
})

scenario(
  'PA-04: public to private hides at once from all but followers',
  { settings: { threshold: '3' }, limits: { graceMs: 20 } },
  async world => {
    for (const fan of ['f1', 'f2', 'f3']) await following(world, fan, 'a')
    await world.as('v').putUser('v', {})
    const ids = await postMany(world, 'a', 4)
    await world.settle()
    await world.as('v').like(ids[0] ?? '')
    assert.deepEqual(await timeline(world, 'v', 'a'), ids)
    const { nextCursor } = await world.as('v').userPosts('a', { limit: 1 })
    await privately(world, 'a')
    await seesNothing(world, 'v', 'a', ids)
    await assert.rejects(world.as('v').userPosts('a', { cursor: nextCursor ?? '' }), closed)
    await world.as('v').unlike(ids[0] ?? '')
    for (const fan of ['f1', 'f2', 'f3', 'a']) await seesAll(world, fan, 'a', ids)
    const all = [...(await postMany(world, 'a', 2)), ...ids]
    await world.settle()
    for (const fan of ['f1', 'f2', 'f3']) await seesAll(world, fan, 'a', all)
    await seesNothing(world, 'v', 'a', all)
    await verified(world, 'v', 'f1', 'a')
  }
)

scenario(
  'PA-05: private to public accepts all who asked, also very many',
  { limits: { slice: 50 } },
  async world => {
    const readers = Array.from({ length: 130 }, (_, at) => `r${at}`)
    await world.admin.batch({ users: readers.map(id => ({ id })) })
    await privately(world, 'a')
    const ids = await postMany(world, 'a', 3)
    for (let at = 0; at < readers.length; at += 10)
      await Promise.all(readers.slice(at, at + 10).map(reader => world.as(reader).follow('a')))
    const [first = ''] = readers
    await world.as('a').putUser('a', { visibility: 'public' })
    for (const reader of [first, 'stranger']) {
      assert.equal((await world.as(reader).getPost(ids[0] ?? '')).id, ids[0])
      assert.deepEqual(await timeline(world, reader, 'a'), ids)
    }
    // What was too much for the answer is the janitor's.
    await world.settle()
    assert.deepEqual((await world.as('a').followRequests({ limit: 1 })).items, [])
    for (const reader of [first, readers[64] ?? '', readers[129] ?? ''])
      assert.deepEqual(await walkHome(world, reader), ids, reader)
    assert.equal((await world.as('a').getUser('a')).counts.followers, 130)
    assert.deepEqual(await world.as('stranger').follow('a'), { state: 'following' })
  }
)

scenario('PA-06: an import may make private accounts, and asks nobody', {}, async world => {
  const { created, skipped } = await world.admin.batch({
    users: [{ id: 'a', visibility: 'private' }, { id: 'v' }, { id: 'w' }],
    follows: [{ follower: 'v', followee: 'a' }],
    posts: [{ author: 'a', content: 'x', externalId: '1' }],
    likes: ['v', 'w', 'a'].map(user => ({ user, author: 'a', externalId: '1' }))
  })
  assert.deepEqual([created.follows, created.likes, skipped.likes], [1, 2, 1])
  const ids = await walkHome(world, 'v')
  assert.equal(ids.length, 1)
  await seesNothing(world, 'w', 'a', ids)
  const { items } = await world.admin.users()
  assert.equal(items.find(({ id }) => id === 'a')?.visibility, 'private')
  await world.admin.batch({ users: [{ id: 'a', visibility: 'public' }] })
  assert.deepEqual(await timeline(world, 'w', 'a'), ids)
})

scenario('PA-07: a decision that is repeated under its key is made once', {}, async world => {
  await world.as('v').putUser('v', {})
  await privately(world, 'a')
  const ids = await postMany(world, 'a', 1)
  const key = (name: string) => ({ idempotencyKey: name })
  assert.deepEqual(await world.as('v').follow('a', key('f')), { state: 'requested' })
  await world.as('a').acceptRequest('v', key('accept'))
  assert.deepEqual(await world.as('v').follow('a', key('f')), { state: 'requested' })
  await seesAll(world, 'v', 'a', ids)
  await world.as('a').removeFollower('a', 'v', key('remove'))
  await world.as('a').acceptRequest('v', key('accept'))
  await seesNothing(world, 'v', 'a', ids)
  await world.settle()
  await seesNothing(world, 'v', 'a', ids)
  await verified(world, 'v')
})
