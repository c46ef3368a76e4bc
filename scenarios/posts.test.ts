import assert from 'node:assert/strict'
import { walk } from '../testkit/walk.ts'
import { following, postMany, scenario, walkHome } from './world.ts'

scenario(
  'a new post shows in the own feed at once and in the followers feeds soon',
  { cdc: true },
  async world => {
    await following(world, 'v', 'a')
    const post = await world.as('a').createPost({ content: 'hello', attrs: { mood: 'fine' } })
    assert.deepEqual(await walkHome(world, 'a'), [post.id])
    await world.settle()
    const [item] = (await world.as('v').feed()).items
    assert.deepEqual(item, post)
    assert.deepEqual(await world.as('v').getPost(post.id), post)
    assert.equal(post.author.id, 'a')
    assert.match(post.id, /^[0-9]{19}$/)
  }
)

scenario(
  'DE-02: a deleted post is gone from every path, and cursors at it go on',
  { cdc: true },
  async world => {
    await following(world, 'v', 'a')
    const [p3 = '', p2 = '', p1 = ''] = await postMany(world, 'a', 3)
    await world.settle()
    assert.deepEqual(await walkHome(world, 'v'), [p3, p2, p1])
    const first = await world.as('v').feed({ limit: 2 })
    await world.as('a').deletePost(p2)
    for (const round of [1, 2]) {
      assert.deepEqual(await walkHome(world, 'v'), [p3, p1], `round ${round}`)
      assert.deepEqual(await walk(query => world.as('v').userPosts('a', query), 20), [p3, p1])
      await assert.rejects(world.as('v').getPost(p2), { code: 'post_not_found' })
      const next = await world.as('v').feed({ cursor: first.nextCursor ?? '' })
      assert.deepEqual(
        next.items.map(({ id }) => id),
        [p1]
      )
    }
    await world.as('a').deletePost(p2)
    await assert.rejects(world.as('a').editPost(p2, { content: 'back' }), {
      code: 'post_not_found'
    })
    await assert.rejects(world.as('v').deletePost(p1), { code: 'not_author' })
    await world.as('a').block('v')
    await assert.rejects(world.as('v').deletePost(p1), { code: 'post_not_found' })
  }
)

scenario('DE-04: an edit shows everywhere, in its old place', {}, async world => {
  await following(world, 'v', 'a')
  const [p2 = '', p1 = ''] = await postMany(world, 'a', 2)
  await world.settle()
  await walkHome(world, 'v')
  await Promise.all([world.as('a').editPost(p1, { content: 'v2' }), world.as('v').feed()])
  await world.as('a').editPost(p1, { content: 'v3', attrs: { edited: true } })
  const { items } = await world.as('v').feed()
  assert.deepEqual(
    items.map(({ id, content }) => [id, content]),
    [
      [p2, 'a 2'],
      [p1, 'v3']
    ]
  )
  assert.notEqual(items[1]?.editedAt, null)
  assert.deepEqual(items[1]?.attrs, { edited: true })
  assert.equal(items[1]?.createdAt, (await world.as('a').getPost(p1)).createdAt)
  await assert.rejects(world.as('v').editPost(p1, { content: 'no' }), { code: 'not_author' })
})

scenario('AP-03: odd text comes back as it was sent, or is refused', {}, async world => {
  const family = '👩‍👩‍👧‍👦'.repeat(280)
  for (const content of [
    family,
    '   ',
    '\u200d',
    'a\r\nb\ndata: c',
    'שלום e\u0301 😀',
    '<script>&"\\'
  ])
    assert.equal((await world.as('a').createPost({ content })).content, content)
  for (const content of ['a\u0000b', '\ud800', 'x\udc00'])
    await assert.rejects(world.as('a').createPost({ content }), { code: 'invalid_text' })
  for (const content of ['', 'x'.repeat(10_001)])
    await assert.rejects(world.as('a').createPost({ content }), { code: 'invalid_request' })
  const attrs = { 'a\u0000': 1 }
  await assert.rejects(world.as('a').createPost({ content: 'x', attrs }), { code: 'invalid_text' })
  assert.equal((await walkHome(world, 'a')).length, 6)
})

scenario(
  'accounts: a suspension can be lifted, a deletion is final; both act at once',
  {},
  async world => {
    await following(world, 'v', 'a', 'b')
    const posts = await postMany(world, 'a', 3)
    const others = await postMany(world, 'b', 2)
    await world.settle()
    assert.equal((await walkHome(world, 'v')).length, 5)
    await world.admin.suspend('a')
    assert.deepEqual(await walkHome(world, 'v'), others)
    await assert.rejects(world.as('v').getPost(posts[0] ?? ''), { code: 'post_not_found' })
    await assert.rejects(world.as('v').getUser('a'), { code: 'user_not_found' })
    await assert.rejects(world.as('a').createPost({ content: 'x' }), { code: 'account_suspended' })
    await world.admin.unsuspend('a')
    assert.equal((await walkHome(world, 'v')).length, 5)
    await world.as('a').deleteMe()
    assert.deepEqual(await walkHome(world, 'v'), others)
    await assert.rejects(world.as('a').feed(), { code: 'account_gone' })
    await assert.rejects(world.as('a').createPost({ content: 'x' }), { code: 'account_gone' })
    await world.settle()
    assert.deepEqual(await walkHome(world, 'v'), others)
  }
)

scenario(
  'accounts: lists built during a suspension have the posts when it is lifted',
  { settings: { threshold: '3' } },
  async world => {
    for (const reader of ['u', 'v', 'w']) await following(world, reader, 'star', 'b')
    await following(world, 'u', 'a')
    const ids = [
      ...(await postMany(world, 'star', 3)),
      ...(await postMany(world, 'a', 3)),
      ...(await postMany(world, 'b', 3))
    ]
    await world.settle()
    await world.admin.suspend('a')
    await world.admin.suspend('star')
    await world.evict()
    assert.equal((await walkHome(world, 'u')).length, 3)
    await world.settle()
    await world.admin.unsuspend('a')
    await world.admin.unsuspend('star')
    assert.deepEqual(await walkHome(world, 'u'), ids.sort().reverse())
    assert.equal((await world.admin.verify('u')).differences, 0)
  }
)

scenario('RB-01: a lost cache loses nothing', {}, async world => {
  for (const reader of ['u', 'v', 'w']) await following(world, reader, 'a', 'b')
  const ids = [...(await postMany(world, 'a', 15)), ...(await postMany(world, 'b', 15))]
    .sort()
    .reverse()
  await world.settle()
  await world.evict()
  const [fresh = ''] = await postMany(world, 'a', 1)
  for (const reader of ['u', 'v', 'w'])
    assert.deepEqual(await walkHome(world, reader, 7), [fresh, ...ids])
  await world.settle()
  await world.restart()
  for (const reader of ['u', 'v', 'w'])
    assert.deepEqual(await walkHome(world, reader, 7), [fresh, ...ids])
})

scenario(
  'RB-02: a loud author whose posts are all gone does not crowd out a quiet one',
  { settings: { cap: '50' } },
  async world => {
    await following(world, 'v', 'loud', 'quiet')
    const start = Date.now() - 3_000_000
    const batch = (author: string, count: number, from: number) =>
      world.admin.batch({
        posts: Array.from({ length: count }, (_, n) => ({
          author,
          content: `${n}`,
          createdAt: new Date(from + n * 1000).toISOString()
        }))
      })
    const quiet = [...(await batch('quiet', 5, start)).postIds].reverse()
    const loud = [...(await batch('loud', 500, start + 10_000)).postIds].reverse()
    await world.settle()
    assert.deepEqual(await walkHome(world, 'v', 100), [...loud, ...quiet])
    await world.as('v').mute('loud')
    await world.evict('v')
    const { items } = await world.as('v').feed({ limit: 10 })
    assert.deepEqual(
      items.map(({ id }) => id),
      quiet
    )
  }
)

scenario('a user who is new reads an empty feed that is complete', {}, async world => {
  assert.deepEqual(await world.as('nobody').feed(), { items: [], nextCursor: null })
  await assert.rejects(world.as('nobody').getUser('nobody'), { code: 'user_not_found' })
  const profile = await world.as('nobody').putUser('nobody', { name: 'N', attributes: { a: 1 } })
  assert.equal(profile.name, 'N')
  assert.deepEqual(await world.as('nobody').feed(), { items: [], nextCursor: null })
  await world.as('nobody').putUser('nobody', { avatar: 'https://example.com/n.png' })
  assert.equal((await world.as('v').getUser('nobody')).name, 'N')
})
