// Pages by number, out of a snapshot: preset `enterprise`.
import assert from 'node:assert/strict'
import type { FeedPage, FeedQuery, PostId } from '@fanwise/sdk'
import { walk } from '../testkit/walk.ts'
import { following, postMany, scenario, type World } from './world.ts'

const settings = { preset: 'enterprise' }

async function page(world: World, query: FeedQuery): Promise<PostId[]> {
  return idsOf(await world.as('v').feed(query))
}

function idsOf({ items }: FeedPage): PostId[] {
  return items.map(({ id }) => id)
}

scenario('pages by number repeat nothing while posts come in above', { settings }, async world => {
  await following(world, 'v', 'a', 'b')
  const posts = await postMany(world, 'a', 25)
  await world.settle()
  const first = await world.as('v').feed({ page: 1, size: 10 })
  assert.deepEqual(idsOf(first), posts.slice(0, 10))
  assert.ok(first.snapshot)
  const later = await postMany(world, 'b', 7)
  await world.settle()
  // With the snapshot, and without: the latest one of the reader.
  for (const named of [{}, { snapshot: first.snapshot }]) {
    assert.deepEqual(await page(world, { page: 2, size: 10, ...named }), posts.slice(10, 20))
    const last = await world.as('v').feed({ page: 3, size: 10, ...named })
    assert.deepEqual([idsOf(last), last.nextCursor], [posts.slice(20), null])
    assert.deepEqual(await page(world, { page: 4, size: 10, ...named }), [])
    assert.deepEqual(await page(world, { page: 5, size: 3, ...named }), posts.slice(12, 15))
  }
  const { snapshot } = first
  assert.deepEqual(await page(world, { page: 1, size: 10, snapshot }), posts.slice(0, 10))
  // Page 1 without a snapshot begins anew, and does not disturb the other walk.
  const anew = await world.as('v').feed({ page: 1, size: 10 })
  assert.deepEqual(idsOf(anew), [...later, ...posts].slice(0, 10))
  assert.notEqual(anew.snapshot, snapshot)
  assert.deepEqual(await page(world, { page: 2, size: 10, snapshot }), posts.slice(10, 20))
  assert.deepEqual(await page(world, { page: 2, size: 10 }), [...later, ...posts].slice(10, 20))
  // Behind any page the walk goes on by cursors.
  const second = await world.as('v').feed({ page: 2, size: 5, snapshot: anew.snapshot ?? '' })
  const rest = await walk(
    query => world.as('v').feed({ cursor: second.nextCursor ?? '', ...query }),
    4
  )
  assert.deepEqual(rest, [...later, ...posts].slice(10))
})

scenario('a snapshot shows nothing that may not be seen any more', { settings }, async world => {
  await following(world, 'v', 'a', 'b', 'c', 'd')
  const posts: { id: PostId; author: string }[] = []
  for (let n = 0; n < 24; n++) {
    const author = ['a', 'b', 'c', 'd'][n % 4] ?? ''
    posts.push({ id: (await world.as(author).createPost({ content: `${n}` })).id, author })
  }
  await world.settle()
  posts.sort((a, b) => (a.id < b.id ? 1 : -1))
  const { snapshot = '' } = await world.as('v').feed({ page: 1, size: 8 })
  await page(world, { page: 3, size: 8 })
  const gone = posts[9]
  await world.as(gone?.author ?? '').deletePost(gone?.id ?? '')
  await world.as('v').hide(posts[10]?.id ?? '')
  await world.as('v').block('b')
  await world.as('v').unfollow('c')
  await world.as('v').mute('d')
  const shows = ({ id, author }: { id: PostId; author: string }) =>
    author === 'a' && id !== gone?.id && id !== posts[10]?.id
  for (const number of [1, 2, 3]) {
    const expected = posts.slice(8 * (number - 1), 8 * number).filter(shows)
    const shown = await page(world, { page: number, size: 8, snapshot })
    assert.deepEqual(
      shown,
      expected.map(({ id }) => id),
      `page ${number}`
    )
  }
  await world.as('v').unmute('d')
  assert.deepEqual(
    await page(world, { page: 1, size: 8, snapshot }),
    posts
      .slice(0, 8)
      .filter(post => shows(post) || post.author === 'd')
      .filter(({ id }) => id !== gone?.id)
      .map(({ id }) => id)
  )
})

scenario('many read the pages of one snapshot at once', { settings }, async world => {
  await following(world, 'v', 'a')
  const posts = await postMany(world, 'a', 40)
  await world.settle()
  const { snapshot = '' } = await world.as('v').feed({ page: 1, size: 5 })
  const numbers = [8, 3, 5, 2, 7, 4, 6, 8, 1]
  const pages = await Promise.all(
    numbers.map(number => page(world, { page: number, size: 5, snapshot }))
  )
  for (const [index, number] of numbers.entries())
    assert.deepEqual(pages[index], posts.slice(5 * (number - 1), 5 * number), `page ${number}`)
})

scenario('a snapshot that is gone says so; numbers go alone', { settings }, async world => {
  await following(world, 'v', 'a')
  const posts = await postMany(world, 'a', 5)
  await world.settle()
  const v = world.as('v')
  const { snapshot = '' } = await v.feed({ page: 1, size: 2 })
  await world.evict()
  await assert.rejects(v.feed({ page: 2, size: 2, snapshot }), { code: 'snapshot_gone' })
  assert.deepEqual(await page(world, { page: 2, size: 2 }), posts.slice(2, 4), 'a fresh one')
  await assert.rejects(world.as('a').feed({ page: 2, snapshot }), { code: 'snapshot_gone' })
  const refused = { code: 'invalid_bounds' }
  await assert.rejects(v.feed({ size: 5 }), refused)
  await assert.rejects(v.feed({ snapshot }), refused)
  await assert.rejects(v.feed({ page: 101, size: 100 }), refused)
  for (const other of [{ limit: 5 }, { after: posts[3] ?? '' }, { before: posts[3] ?? '' }])
    await assert.rejects(v.feed({ page: 1, ...other }), refused)
  assert.deepEqual(await page(world, { page: 100, size: 100 }), [])
  assert.deepEqual((await world.as('nobody').feed({ page: 1 })).items, [])
})

scenario('only where pages are numbered', {}, async world => {
  await following(world, 'v', 'a')
  for (const reader of ['v', 'nobody'])
    await assert.rejects(world.as(reader).feed({ page: 1 }), { code: 'invalid_request' })
})
