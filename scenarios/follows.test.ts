// Who follows and leaves, one by one and in bulk, while posts wait and feeds are gone.
import assert from 'node:assert/strict'
import type { PostId } from '@fanwise/sdk'
import { BEHIND_API } from './modes.ts'
import { whileWorkersAreAway } from './workers-away.ts'
import { following, postMany, scenario, type World, walkHome } from './world.ts'

const DAY_MS = 86_400_000
const newestFirst = (...lists: (readonly PostId[])[]) => lists.flat().sort().reverse()

async function sees(world: World, reader: string, ids: readonly PostId[], when: string) {
  assert.deepEqual(await walkHome(world, reader, 5), ids, `${reader} ${when}`)
}

async function exact(world: World, reader: string): Promise<void> {
  const { differences, examples } = await world.admin.verify(reader)
  assert.equal(differences, 0, JSON.stringify(examples))
}

/** Imported posts of an author, a second apart, the last one so long ago. */
async function old(world: World, author: string, count: number, agoMs: number): Promise<PostId[]> {
  const { postIds } = await world.admin.batch({
    posts: Array.from({ length: count }, (_, n) => ({
      author,
      content: `${n}`,
      createdAt: new Date(Date.now() - agoMs - n * 1000).toISOString()
    }))
  })
  return [...postIds]
}

scenario(
  'FL-02: who left gets nothing of what waited, until they come back',
  { modes: BEHIND_API },
  async world => {
    await following(world, 'v', 'a', 'b')
    const [first, kept] = [await postMany(world, 'a', 1), await postMany(world, 'b', 1)]
    await walkHome(world, 'v')
    await world.settle()
    const waiting: PostId[] = []
    await whileWorkersAreAway(world, async () => {
      waiting.push(...(await postMany(world, 'a', 2)))
      await world.as('v').unfollow('a')
    })
    await sees(world, 'v', kept, 'before they are worked off')
    await world.settle()
    await sees(world, 'v', kept, 'after')
    for (const id of waiting) {
      assert.equal((await world.as('v').getPost(id)).viewer.liked, false)
      await world.as('v').like(id)
    }
    await world.as('v').follow('a')
    await sees(world, 'v', newestFirst(first, kept, waiting), 'back')
    await world.settle()
    await exact(world, 'v')
  }
)

scenario(
  'FL-06: of an author who is half new and half old, the new half enters the top',
  { modes: BEHIND_API, settings: { cap: '10' } },
  async world => {
    await following(world, 'v', 'b')
    const shown = await old(world, 'b', 10, 60_000)
    await world.settle()
    await walkHome(world, 'v')
    await world.settle()
    const year = await old(world, 'a', 5, 365 * DAY_MS)
    const recent = await old(world, 'a', 5, 20_000)
    await world.settle()
    await world.as('v').follow('a')
    const all = newestFirst(shown, year, recent)
    const { items } = await world.as('v').feed({ limit: 10 })
    assert.deepEqual(
      items.map(({ id }) => id),
      all.slice(0, 10)
    )
    assert.equal(items.filter(({ author }) => author.id === 'a').length, 5)
    await sees(world, 'v', all, 'as a whole')
    await world.settle()
    await sees(world, 'v', all, 'settled')
    await exact(world, 'v')
  }
)

scenario(
  'FL-07: pushes and backfills make no feed of an evicted one',
  { modes: BEHIND_API },
  async world => {
    await following(world, 'v', 'a', 'b', 'c')
    await following(world, 'w', 'd')
    const ids: PostId[] = []
    for (const author of ['a', 'b', 'c', 'd']) ids.push(...(await postMany(world, author, 10)))
    await walkHome(world, 'v')
    await world.settle()
    await world.evict()
    ids.push(...(await postMany(world, 'a', 1)))
    await world.settle()
    await world.as('v').follow('d')
    await sees(world, 'v', newestFirst(ids), 'of all four')
    // Built, pushed into and evicted at the same time, again and again.
    for (let round = 0; round < 5; round++) {
      await world.evict('v')
      const [made] = await Promise.all([
        postMany(world, ['a', 'd'][round % 2] as string, 5),
        world.admin.rebuild('v'),
        world.as('v').feed(),
        world.evict('v').then(() => world.as('v').feed())
      ])
      ids.push(...made)
      await world.settle()
      await sees(world, 'v', newestFirst(ids), `round ${round}`)
    }
    await exact(world, 'v')
  }
)

scenario(
  'FL-08: the same follows in bulk, three times at once; then too many',
  { modes: BEHIND_API, settings: { followsMax: '20' } },
  async world => {
    const authors = Array.from({ length: 35 }, (_, n) => `n${n}`)
    const follows = (from: number, to: number) =>
      authors.slice(from, to).map(followee => ({ follower: 'v', followee }))
    await world.admin.batch({
      users: ['v', ...authors].map(id => ({ id })),
      follows: follows(0, 10),
      posts: authors.map(author => ({ author, content: author }))
    })
    await walkHome(world, 'v')
    await world.settle()
    const batches = [1, 2, 3].map(() => world.admin.batch({ follows: follows(0, 20) }))
    const other = world.as('other').createPost({ content: 'meanwhile' })
    const results = await Promise.all(batches)
    await other
    assert.equal(
      results.reduce((sum, { created }) => sum + created.follows, 0),
      10
    )
    const over = await world.admin.batch({ follows: follows(20, 35) })
    assert.deepEqual([over.created.follows, over.skipped.follows], [0, 15])
    assert.equal((await walkHome(world, 'v')).length, 20)
    await world.settle()
    assert.equal((await world.as('v').getUser('v')).counts.following, 20)
    for (const author of [authors[0], authors[19], authors[20]])
      assert.equal(
        (await world.as('v').getUser(author ?? '')).counts.followers,
        author === authors[20] ? 0 : 1
      )
    await exact(world, 'v')
  }
)

scenario(
  'FL-a1: whoever changes their mind many times at once ends with what was answered last',
  { modes: BEHIND_API, settings: { cap: '10' } },
  async world => {
    await following(world, 'v', 'b')
    const [his, others] = [await postMany(world, 'a', 3), await postMany(world, 'b', 3)]
    await walkHome(world, 'v')
    await world.settle()
    for (const last of ['follow', 'unfollow', 'follow'] as const) {
      const turns = Array.from({ length: 10 }, (_, n) => (n % 2 === 0 ? 'follow' : 'unfollow'))
      await Promise.all(turns.map(turn => world.as('v')[turn as 'follow' | 'unfollow']('a')))
      his.unshift(...(await postMany(world, 'a', 1)))
      await world.as('v')[last]('a')
      const expected = last === 'follow' ? newestFirst(his, others) : others
      await sees(world, 'v', expected, `after the last ${last}`)
      await world.settle()
      await sees(world, 'v', expected, `settled after ${last}`)
      assert.equal((await world.as('a').getUser('a')).counts.followers, last === 'follow' ? 1 : 0)
      await exact(world, 'v')
    }
  }
)

scenario(
  'FL-a2: a cursor goes on through a follow and an unfollow, below it alone',
  { modes: BEHIND_API, settings: { cap: '10' } },
  async world => {
    await following(world, 'v', 'a')
    const [a, b]: [PostId[], PostId[]] = [[], []]
    for (let n = 0; n < 15; n++) {
      a.unshift(...(await postMany(world, 'a', 1)))
      b.unshift(...(await postMany(world, 'b', 1)))
    }
    await walkHome(world, 'v')
    await world.settle()
    const { items, nextCursor } = await world.as('v').feed({ limit: 6 })
    const cursor = nextCursor ?? ''
    const below = items.at(-1)?.id ?? ''
    const rest = async () => (await world.as('v').feed({ cursor, limit: 50 })).items.map(p => p.id)
    const under = (...lists: PostId[][]) => newestFirst(...lists).filter(id => id < below)
    assert.deepEqual(await rest(), under(a))
    await world.as('v').follow('b')
    assert.deepEqual(await rest(), under(a, b))
    await world.as('v').unfollow('a')
    assert.deepEqual(await rest(), under(b))
    await world.evict()
    assert.deepEqual(await rest(), under(b))
    await world.restart({ settings: { cap: '30', threshold: '2' } })
    assert.deepEqual(await rest(), under(b))
    await world.settle()
    await exact(world, 'v')
  }
)
