// Pages between bounds: the gap that a client has, what is newer than what it shows, and how much that is.
import assert from 'node:assert/strict'
import type { FeedQuery, PostId } from '@fanwise/sdk'
import { following, scenario, type World, walkHome } from './world.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** Imported posts of an author, a minute apart up to a day ago; their ids, oldest first: `p(1)` is the first one. */
async function posts(world: World, author: string, count: number): Promise<PostId[]> {
  const start = Date.now() - DAY_MS
  const { postIds } = await world.admin.batch({
    posts: Array.from({ length: count }, (_, n) => ({
      author,
      content: `p${n + 1}`,
      createdAt: new Date(start + n * MINUTE_MS).toISOString()
    }))
  })
  await world.settle()
  return [...postIds]
}

async function idsOf(world: World, query: FeedQuery): Promise<PostId[]> {
  return (await world.as('v').feed(query)).items.map(({ id }) => id)
}

/** All pages from a query on. */
async function follow(world: World, query: FeedQuery): Promise<PostId[]> {
  const { limit = 20, known } = query
  const ids: PostId[] = []
  for (let at: FeedQuery = query, pages = 0; ; pages++) {
    assert.ok(pages < 100, 'the walk does not end')
    const page = await world.as('v').feed(at)
    ids.push(...page.items.map(({ id }) => id))
    if (page.nextCursor === null) return ids
    at = { limit, cursor: page.nextCursor, ...(known && { known }) }
  }
}

/** Cold, then twice as it was built: it holds the newest ids alone. */
async function warmAndCold(world: World, check: () => Promise<void>): Promise<void> {
  await world.evict()
  await check()
  await world.settle()
  await check()
  await check()
}

scenario(
  'PG-06: newer than an old post are the posts next to it, not the newest',
  { settings: { cap: '10' } },
  async world => {
    await following(world, 'v', 'a')
    const ids = await posts(world, 'a', 30)
    const p = (n: number) => ids[n - 1] ?? ''
    const cursors = new Map<PostId, string>()
    for (let cursor: string | undefined; ; ) {
      const page = await world.as('v').feed({ limit: 1, ...(cursor && { cursor }) })
      const [post] = page.items
      if (page.nextCursor === null || post === undefined) break
      cursor = page.nextCursor
      cursors.set(post.id, cursor)
    }
    await warmAndCold(world, async () => {
      for (const at of [3, 19, 20, 21, 25])
        for (const after of [p(at), cursors.get(p(at)) ?? '']) {
          assert.deepEqual(await idsOf(world, { after, limit: 4 }), ids.slice(at, at + 4), `p${at}`)
          assert.deepEqual(await follow(world, { after, limit: 4 }), ids.slice(at), `from p${at}`)
        }
      assert.deepEqual(await idsOf(world, { after: p(30) }), [])
      assert.deepEqual(await follow(world, { before: p(4), limit: 2 }), ids.slice(0, 3).reverse())
    })
    // An anchor that was deleted stands where it stood.
    await world.as('a').deletePost(p(3))
    await world.as('a').deletePost(p(5))
    await warmAndCold(world, async () => {
      assert.deepEqual(await idsOf(world, { after: p(3), limit: 3 }), [p(4), p(6), p(7)])
    })
  }
)

scenario(
  'PG-06: a walk up goes on with what comes in, and ends when there is nothing newer',
  { settings: { cap: '10', threshold: '2' }, limits: { graceMs: 20 } },
  async world => {
    // b is merged on read.
    await following(world, 'v', 'a', 'b')
    await world.as('w').follow('b')
    const ids = await posts(world, 'a', 12)
    const start = ids[8] ?? ''
    const first = await world.as('v').feed({ after: start, limit: 2 })
    const made: PostId[] = []
    for (const author of ['a', 'b', 'v', 'b'])
      made.push((await world.as(author).createPost({ content: author })).id)
    await world.settle()
    const rest = await follow(world, { cursor: first.nextCursor ?? '', limit: 2 })
    const all = [...first.items.map(({ id }) => id), ...rest]
    assert.deepEqual(all, [...ids.slice(9), ...made].sort())
    assert.deepEqual(await follow(world, { after: start, limit: 50 }), all)
  }
)

scenario(
  'PG-07: both bounds together are the open interval, until it is filled exactly',
  { settings: { cap: '20' } },
  async world => {
    await following(world, 'v', 'a', 'b')
    const ids = await posts(world, 'a', 60)
    const p = (n: number) => ids[n - 1] ?? ''
    const gap = { after: p(20), before: p(51) }
    const inside = ids.slice(20, 50).reverse()
    await warmAndCold(world, async () => {
      for (const limit of [1, 7, 10, 30, 100])
        assert.deepEqual(await follow(world, { ...gap, limit }), inside, `limit ${limit}`)
      // Without cursors: the last post shown is the next bound.
      const held: PostId[] = []
      for (let before = gap.before; ; before = held.at(-1) ?? '') {
        const page = await world.as('v').feed({ after: gap.after, before, limit: 10 })
        held.push(...page.items.map(({ id }) => id))
        assert.equal(page.nextCursor !== null, held.length < 30, 'whether more remain inside')
        if (page.nextCursor === null) break
      }
      assert.deepEqual(held, inside)
      // Across the floor, above it and below it; between neighbours there is nothing.
      assert.deepEqual(await follow(world, { after: p(38), before: p(44), limit: 2 }), [
        ...ids.slice(38, 43).reverse()
      ])
      assert.deepEqual(await follow(world, { after: p(55), before: p(58) }), [p(57), p(56)])
      assert.deepEqual(await follow(world, { after: p(5), before: p(8) }), [p(7), p(6)])
      assert.deepEqual(await idsOf(world, { after: p(7), before: p(8) }), [])
    })
    const refused = { code: 'invalid_bounds' }
    const v = world.as('v')
    await assert.rejects(v.feed({ after: p(51), before: p(20) }), refused)
    await assert.rejects(v.feed({ after: p(20), before: p(20) }), refused)
    await assert.rejects(v.feed({ known: [p(1)] }), refused)
    await assert.rejects(v.feed({ ...gap, known: [p(1)] }), refused)
    const { nextCursor } = await v.feed({ ...gap, limit: 5 })
    const cursor = nextCursor ?? ''
    await assert.rejects(v.feed({ cursor, after: p(1) }), refused)
    await assert.rejects(v.feed({ cursor, known: [p(1)] }), refused)
    for (const bad of ['0', 'x', '9'.repeat(19), `${p(1)}0`])
      await assert.rejects(v.feed({ after: bad }), { code: 'invalid_cursor' })
    await assert.rejects(world.as('a').feed({ cursor }), { code: 'invalid_cursor' })
    await assert.rejects(world.as('a').feed({ after: cursor }), { code: 'invalid_cursor' })
    await assert.rejects(v.userPosts('a', { cursor }), { code: 'invalid_cursor' })
  }
)

scenario('PG-07: a gap stays exact while it changes', { settings: { cap: '10' } }, async world => {
  await following(world, 'v', 'a', 'b')
  const ids = await posts(world, 'a', 30)
  const p = (n: number) => ids[n - 1] ?? ''
  const first = await world.as('v').feed({ after: p(5), before: p(26), limit: 5 })
  await world.as('v').hide(p(18))
  for (const n of [5, 26, 20, 19, 6]) await world.as('a').deletePost(p(n))
  await world.as('b').createPost({ content: 'above' })
  const rest = await follow(world, { cursor: first.nextCursor ?? '', limit: 5 })
  const expected = ids.slice(6, 20).filter(id => ![18, 19, 20].map(p).includes(id))
  assert.deepEqual(rest, expected.reverse())
})

scenario(
  'how many are newer: rules and late posts counted, 100 at most',
  { settings: { cap: '20' } },
  async world => {
    await following(world, 'v', 'a', 'b')
    await posts(world, 'a', 5)
    const [top = ''] = await walkHome(world, 'v')
    const v = world.as('v')
    const count = async (after: PostId, known?: readonly PostId[]) =>
      v.newer({ after, ...(known && { known }) })
    assert.deepEqual(await count(top), { count: 0, more: false })
    const made: PostId[] = []
    for (let n = 0; n < 3; n++)
      made.push((await world.as(n === 1 ? 'b' : 'a').createPost({ content: `${n}` })).id)
    await world.settle()
    await warmAndCold(world, async () => assert.equal((await count(top)).count, 3))
    await v.mute('b')
    assert.equal((await count(top)).count, 2)
    await v.unmute('b')
    // It was made before what the client shows and came in after.
    const newest = made.at(-1) ?? ''
    const at = new Date(Date.now() - 5000).toISOString()
    const late = await world.admin.batch({
      posts: [{ author: 'b', content: 'late', createdAt: at }]
    })
    await world.settle()
    const [lateId = ''] = late.postIds
    assert.ok(lateId < newest)
    assert.deepEqual(await count(newest), { count: 0, more: false })
    await warmAndCold(world, async () => {
      assert.deepEqual(await count(newest, made), { count: 1, more: false })
      assert.deepEqual(await follow(world, { after: newest, known: made, limit: 1 }), [lateId])
      assert.deepEqual(await count(newest, [...made, lateId]), { count: 0, more: false })
    })
    // The bound as a cursor: the post that it names is not newer than itself.
    const { nextCursor } = await v.feed({ limit: 1 })
    const others = made.filter(id => id !== newest)
    assert.deepEqual(await follow(world, { after: nextCursor ?? '', known: others }), [lateId])
    assert.equal((await count(nextCursor ?? '', others)).count, 1)
    await posts(world, 'a', 120)
    const [first = ''] = (await walkHome(world, 'v', 100)).slice(-1)
    assert.deepEqual(await count(first), { count: 100, more: true })
    assert.deepEqual(await world.as('nobody').newer({ after: first }), { count: 0, more: false })
    await assert.rejects(v.newer({ after: 'x' }), { code: 'invalid_cursor' })
  }
)
