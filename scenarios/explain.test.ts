// Why a post is, or is not, in a feed: the answer has to be what a walk shows.
import assert from 'node:assert/strict'
import type { Explanation, PostDelivery, PostId, Reason } from '@fanwise/sdk'
import { waitUntil } from '../scripts/services/wait-until.ts'
import { following, postMany, scenario, type World, walkHome } from './world.ts'

/** Settles, and waits until the ledger tells of the post: it is written behind the back of fan-out. */
async function recorded(world: World, post: PostId): Promise<PostDelivery> {
  let found: PostDelivery | undefined
  await world.settle()
  const written = await waitUntil(
    async () => {
      found = await world.admin.delivery(post)
      return !['waiting', 'relayed', 'in_work'].includes(found.state)
    },
    10_000,
    10
  )
  if (!written || found === undefined) throw new Error(`Not recorded: ${JSON.stringify(found)}`)
  return found
}

/** The explanation, whose `shown` and `position` are those of a walk. */
async function explain(world: World, reader: string, post: PostId): Promise<Explanation> {
  const found = await world.admin.explain(reader, post)
  const shown = await walkHome(world, reader)
  const place = shown.indexOf(post)
  assert.equal(found.shown, place >= 0, found.summary)
  assert.equal(found.position, place < 0 ? null : place + 1, found.summary)
  assert.equal(found.page, place < 0 ? null : Math.floor(place / 20) + 1)
  assert.deepEqual([found.reader, found.post], [reader, post])
  return found
}

function codes({ reasons }: Explanation): Reason['code'][] {
  return reasons.map(({ code }) => code)
}

/** Reads the feed until it is warm. */
async function warmUp(world: World, reader: string): Promise<void> {
  await world.settle()
  await world.as(reader).feed()
  await world.settle()
}

scenario(
  'explain: a post that was pushed tells of its event, its worker and its place',
  { cdc: true },
  async world => {
    await following(world, 'v', 'a', 'b')
    await warmUp(world, 'v')
    const [post = ''] = await postMany(world, 'a', 1)
    await recorded(world, post)
    const found = await explain(world, 'v', post)
    assert.deepEqual(codes(found), ['in_feed', 'pushed'])
    assert.deepEqual([found.source, found.author, found.position], ['feed', 'a', 1])
    assert.deepEqual([found.feed.state, found.feed.holds], ['warm', true])
    const kafka = world.mode === 'distributed' || world.mode === 'cdc'
    assert.equal(found.event?.partition !== null && found.event?.offset !== null, kafka)
    assert.match(found.event?.id ?? '', /^[0-9]+$/)
    assert.ok(Date.parse(found.event?.relayedAt ?? '') > 0)
    const [record, ...others] = found.records
    assert.deepEqual(others, [])
    assert.match(record?.worker ?? '', /.:[0-9]+$/)
    assert.deepEqual(
      [record?.work, record?.mode, record?.slice, record?.took, record?.pushed],
      ['pushed', 'push', 1, true, 1]
    )
    assert.match(found.summary, /^The feed of v shows this post of a\. .*worker.* on page 1 /)
    await postMany(world, 'b', 25)
    await world.settle()
    assert.equal((await explain(world, 'v', post)).page, 2)
    await world.as('v').mute('b')
    assert.equal((await explain(world, 'v', post)).position, 1)
  }
)

scenario('explain: each rule that keeps a post from a feed is named', {}, async world => {
  await following(world, 'v', 'a', 'b', 'c', 'd', 'e', 'f')
  await world.admin.batch({ users: [{ id: 'p' }, { id: 'stranger' }] })
  await world.as('p').putUser('p', { visibility: 'private' })
  await warmUp(world, 'v')
  const post: Record<string, PostId> = {}
  for (const author of ['a', 'b', 'c', 'd', 'e', 'f', 'p', 'stranger', 'v'])
    post[author] = (await postMany(world, author, 1))[0] ?? ''
  const [deleted = '', hidden = ''] = await postMany(world, 'v', 2)
  await world.settle()
  await world.as('v').unfollow('a')
  await world.as('v').block('b')
  await world.as('c').block('v')
  await world.as('v').mute('d')
  await world.admin.suspend('e')
  await world.as('f').deleteMe()
  await world.as('v').follow('p')
  await world.as('v').deletePost(deleted)
  await world.as('v').hide(hidden)
  const expected: readonly (readonly [PostId | undefined, Reason['code']])[] = [
    [post.a, 'unfollowed'],
    [post.b, 'blocked_by_reader'],
    [post.c, 'blocked_by_author'],
    [post.d, 'muted'],
    [post.e, 'author_suspended'],
    [post.f, 'author_gone'],
    [post.p, 'follow_requested'],
    [post.stranger, 'not_followed'],
    [deleted, 'post_deleted'],
    [hidden, 'hidden'],
    // Of another shard: the next number may be that of another post.
    [`${BigInt(hidden) ^ (1n << 12n)}`, 'post_unknown']
  ]
  for (const [id = '', code] of expected) {
    const found = await explain(world, 'v', id)
    assert.deepEqual([codes(found)[0], found.source], [code, null])
    assert.ok(found.summary.includes(found.reasons[0]?.message ?? '?'))
  }
  assert.deepEqual(codes(await explain(world, 'v', post.v ?? '')), ['in_feed', 'own_post'])
  await world.as('v').unmute('d')
  await world.admin.unsuspend('e')
  await world.as('p').acceptRequest('v')
  await world.as('v').follow('a')
  await world.settle()
  for (const author of ['a', 'd', 'e', 'p'])
    assert.equal((await explain(world, 'v', post[author] ?? '')).shown, true, author)
  await assert.rejects(world.admin.explain('nobody', hidden), { code: 'user_not_found' })
  await assert.rejects(world.admin.explain('v', '1'), { code: /invalid_request|post_not_found/ })
})

scenario(
  'explain: a cold feed, one above whose floor nothing stands, and what lies below it',
  { settings: { cap: '10' } },
  async world => {
    await following(world, 'v', 'a')
    const ids = await postMany(world, 'a', 30)
    await recorded(world, ids[0] ?? '')
    const cold = await world.admin.explain('v', ids[0] ?? '')
    assert.deepEqual(codes(cold), ['feed_cold', 'not_pushed'])
    assert.deepEqual([cold.source, cold.position, cold.records[0]?.cold], ['store', 1, 1])
    await world.admin.rebuild('v')
    const top = await explain(world, 'v', ids[0] ?? '')
    assert.deepEqual(codes(top), ['in_feed', 'not_pushed'])
    const deep = await explain(world, 'v', ids.at(-1) ?? '')
    assert.deepEqual([codes(deep)[0], deep.source, deep.page], ['below_floor', 'store', 2])
    assert.ok((deep.feed.floor ?? '') > (ids.at(-1) ?? ''))
  }
)

scenario(
  'explain: who is pulled is merged from the timeline, and their posts are pushed to nobody',
  { settings: { threshold: '3' }, limits: { graceMs: 50 } },
  async world => {
    for (const reader of ['v', 'w', 'x']) await following(world, reader, 'a')
    let post = ''
    const pulled = async () => {
      post = (await postMany(world, 'a', 1))[0] ?? ''
      return (await recorded(world, post)).state === 'pulled'
    }
    assert.ok(await waitUntil(pulled, 20_000, 50))
    await warmUp(world, 'v')
    const found = await explain(world, 'v', post)
    assert.equal(found.delivery?.mode, 'pull')
    assert.deepEqual(found.delivery?.slices, { done: 0, of: 0 })
    assert.equal(found.records[0]?.work, 'pulled')
    // It was built from the Store when the author was in both, or is merged.
    assert.ok(['in_feed', 'in_timeline', 'timeline_cold'].includes(codes(found)[0] ?? ''))
    assert.equal(codes(found)[1], 'pulled')
    const [next = ''] = await postMany(world, 'a', 1)
    await recorded(world, next)
    await warmUp(world, 'v')
    const merged = await explain(world, 'v', next)
    assert.deepEqual(codes(merged), ['in_timeline', 'pulled'])
    assert.equal(merged.source, 'timeline')
  }
)

scenario('explain: an imported post was not pushed but has its place', {}, async world => {
  await following(world, 'v', 'a')
  const createdAt = new Date(Date.now() - 86_400_000).toISOString()
  const { postIds } = await world.admin.batch({
    posts: [{ author: 'a', content: 'old', createdAt, externalId: 'one' }]
  })
  const [post = ''] = postIds
  const delivery = await recorded(world, post)
  assert.deepEqual([delivery.state, delivery.backlog], ['done', true])
  await warmUp(world, 'v')
  assert.deepEqual(codes(await explain(world, 'v', post)), ['in_feed', 'backlog'])
})

scenario('explain: an entry that a list lost is told as a defect, and mended', {}, async world => {
  await following(world, 'v', 'a')
  await warmUp(world, 'v')
  const [post = ''] = await postMany(world, 'a', 1)
  await recorded(world, post)
  await world.damage('v', post)
  const found = await explain(world, 'v', post)
  assert.deepEqual(codes(found), ['missing', 'pushed'])
  await world.admin.rebuild('v')
  assert.deepEqual(codes(await explain(world, 'v', post)), ['in_feed', 'pushed'])
})

scenario(
  'delivery: an author sees how far the fan-out is, slice by slice, and nobody else does',
  { limits: { slice: 2 } },
  async world => {
    const readers = ['v', 'w', 'x']
    for (const reader of readers) await following(world, reader, 'a')
    await warmUp(world, 'v')
    const [post = ''] = await postMany(world, 'a', 1)
    await recorded(world, post)
    const own = await world.as('a').delivery(post)
    assert.deepEqual(own, await world.admin.delivery(post))
    assert.deepEqual([own.state, own.mode, own.followers], ['done', 'push', 3])
    assert.deepEqual(own.slices, { done: 2, of: 2 })
    assert.deepEqual([own.pushed, own.cold, own.late, own.failed], [1, 2, 0, 0])
    const times = [own.createdAt, own.startedAt, own.doneAt].map(at => Date.parse(at ?? ''))
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b)
    )
    assert.equal((await world.admin.explain('x', post)).records[0]?.slice, 2)
    await assert.rejects(world.as('v').delivery(post), { code: 'not_author' })
    await world.as('a').block('w')
    await assert.rejects(world.as('w').delivery(post), { code: 'post_not_found' })
    await world.as('a').deletePost(post)
    await assert.rejects(world.as('a').delivery(post), { code: 'post_not_found' })
    assert.equal((await world.admin.delivery(post)).state, 'done')
  }
)
