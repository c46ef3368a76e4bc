import assert from 'node:assert/strict'
import type { PostId } from '@fanwise/sdk'
import { walk } from '../testkit/walk.ts'
import { following, postMany, scenario, type World, walkHome } from './world.ts'

const DAY_MS = 86_400_000

/** Posts with their own times, given oldest first; returns the ids, newest first. */
async function importPosts(
  world: World,
  posts: readonly { author: string; at: number }[]
): Promise<PostId[]> {
  const { postIds } = await world.admin.batch({
    posts: posts.map(({ author, at }, index) => ({
      author,
      content: `${author} ${index}`,
      createdAt: new Date(at).toISOString()
    }))
  })
  return postIds.toReversed()
}

scenario('PG-03: filtering never makes an early end', {}, async world => {
  await following(world, 'v', 'a', 'b', 'c')
  const old = await postMany(world, 'b', 5)
  const posts = await postMany(world, 'a', 40)
  for (const id of posts.slice(0, 30)) await world.as('v').hide(id)
  await world.settle()
  const expected = [...posts.slice(30), ...old]
  for (const limit of [1, 5, 10, 20, 100])
    assert.deepEqual(await walkHome(world, 'v', limit), expected)
})

scenario('PG-03: a blocked author who owns almost everything', {}, async world => {
  await following(world, 'v', 'a', 'c')
  const start = Date.now() - DAY_MS
  const seen = await importPosts(world, times('a', 10, start))
  const loud = await importPosts(world, times('c', 200, start + 100_000))
  const newest = await importPosts(world, times('a', 5, start + 150_500))
  await world.settle()
  await world.as('v').block('c')
  for (const limit of [1, 5, 10, 20, 100])
    assert.deepEqual(await walkHome(world, 'v', limit), [...newest, ...seen])
  await world.as('v').unblock('c')
  await world.as('v').follow('c')
  const all = [...newest, ...seen, ...loud].sort().reverse()
  assert.deepEqual(await walkHome(world, 'v', 100), all)
})

function times(author: string, count: number, start: number) {
  return Array.from({ length: count }, (_, index) => ({ author, at: start + index * 1000 }))
}

scenario(
  'PG-04: the walk goes on below the cap without a seam',
  { settings: { cap: '10' } },
  async world => {
    await following(world, 'v', 'a', 'b', 'c')
    await walkHome(world, 'v')
    const posts: { id: PostId; author: string }[] = []
    for (let n = 0; n < 40; n++) {
      const author = ['a', 'b', 'c'][n % 3] ?? 'a'
      posts.push({ id: (await world.as(author).createPost({ content: `${n}` })).id, author })
    }
    await world.settle()
    // Posts of one ms are ordered by shard, not by who came first.
    const ids = posts
      .map(({ id }) => id)
      .sort()
      .reverse()
    assert.deepEqual(await walkHome(world, 'v', 4), ids)
    const [tenth = '', eleventh = ''] = ids.slice(9, 11)
    for (const { id, author } of posts)
      if (id === tenth || id === eleventh) await world.as(author).deletePost(id)
    const left = ids.filter(id => id !== tenth && id !== eleventh)
    const walked = await walk(
      query => world.as('v').feed(query),
      4,
      async page => {
        if (page === 2) await postMany(world, 'a', 3)
      }
    )
    assert.deepEqual(walked, left)
  }
)

scenario('PG-10: a cursor stays exact under inserts and deletes', {}, async world => {
  await following(world, 'v', 'a')
  const ids = await postMany(world, 'a', 30)
  await world.settle()
  const first = await world.as('v').feed({ limit: 10 })
  await postMany(world, 'a', 7)
  await world.as('a').deletePost(ids[4] ?? '')
  await world.as('a').deletePost(ids[11] ?? '')
  const rest = await walk(
    query => world.as('v').feed({ cursor: first.nextCursor ?? '', ...query }),
    10
  )
  assert.deepEqual(rest, [...ids.slice(10, 11), ...ids.slice(12)])
})

scenario('PG-16: old posts of quiet authors are not lost', {}, async world => {
  await following(world, 'v', 'a')
  const now = Date.now()
  const ids = await importPosts(
    world,
    [400, 200, 90].map(days => ({ author: 'a', at: now - days * DAY_MS }))
  )
  await world.settle()
  await world.evict()
  assert.deepEqual(await walkHome(world, 'v', 2), ids)
  const page = await world.as('v').feed()
  assert.deepEqual(new Set(page.items.map(post => post.author.id)), new Set(['a']))
})

scenario('PG-02: many posts of one ms are walked one by one, warm and cold', {}, async world => {
  await following(world, 'v', 'a')
  const at = Date.now() - 60_000
  const made = await importPosts(
    world,
    Array.from({ length: 20 }, () => ({ author: 'a', at }))
  )
  const ids = made.toSorted().reverse()
  await world.settle()
  for (const limit of [1, 3]) {
    await world.evict()
    assert.deepEqual(await walkHome(world, 'v', limit), ids)
    assert.deepEqual(await walkHome(world, 'v', limit), ids)
    assert.deepEqual(await walk(query => world.as('v').userPosts('a', query), limit), ids)
  }
})

scenario('PG-02: follower lists page by position, not by time', {}, async world => {
  const fans = Array.from({ length: 20 }, (_, index) => `fan${index}`)
  await world.admin.batch({ follows: fans.map(follower => ({ follower, followee: 'a' })) })
  const found: string[] = []
  let cursor: string | undefined
  do {
    const page = await world.as('a').followers('a', { limit: 3, ...(cursor && { cursor }) })
    found.push(...page.items.map(({ id }) => id))
    cursor = page.nextCursor ?? undefined
  } while (cursor)
  assert.equal(found.length, 20)
  assert.deepEqual(new Set(found), new Set(fans))
})
