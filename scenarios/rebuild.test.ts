// Caches that are lost, whole or in part, while people go on: every feed is whole at once, and stays so.
import assert from 'node:assert/strict'
import type { PostId } from '@fanwise/sdk'
import { thorough } from '../testkit/thorough.ts'
import { walk } from '../testkit/walk.ts'
import { BEHIND_API } from './modes.ts'
import { whileWorkersAreAway } from './workers-away.ts'
import { following, postMany, scenario, type World, walkHome } from './world.ts'

const newestFirst = (...lists: (readonly PostId[])[]) => lists.flat().sort().reverse()
const READERS = ['u', 'v', 'w']

/** Readers who follow each other, and their 30 posts. */
async function circle(world: World, each: number): Promise<PostId[]> {
  for (const reader of READERS)
    await following(world, reader, ...READERS.filter(other => other !== reader))
  const ids: PostId[] = []
  for (const reader of READERS) ids.push(...(await postMany(world, reader, each)))
  for (const reader of READERS) await walkHome(world, reader)
  await world.settle()
  return ids
}

async function allSee(world: World, ids: readonly PostId[], when: string, limit = 7) {
  for (const reader of READERS)
    assert.deepEqual(await walkHome(world, reader, limit), newestFirst(ids), `${when}: ${reader}`)
}

async function exact(world: World, ...readers: string[]): Promise<void> {
  for (const reader of readers) {
    const { differences, examples } = await world.admin.verify(reader)
    assert.equal(differences, 0, JSON.stringify(examples))
  }
}

scenario(
  'RB-01: all or some feeds go while posts are pushed',
  { modes: BEHIND_API, settings: { cap: '20' } },
  async world => {
    const ids = await circle(world, 8)
    for (const lost of [[], ['u'], ['v', 'w'], []]) {
      const posting = ['u', 'w'].map(author => postMany(world, author, 4))
      await world.evict(...lost)
      ids.push(...(await Promise.all(posting)).flat())
      await world.evict(...lost)
      ids.push(...(await postMany(world, 'v', 1)))
      await world.settle()
      await allSee(world, ids, `lost ${lost.join(' and ') || 'all'}`)
      await world.settle()
      await allSee(world, ids, 'built again')
    }
    await exact(world, ...READERS)
  }
)

scenario(
  'RB-01: what was lost while workers were away is whole before they are back, and after',
  { modes: BEHIND_API, settings: { cap: '20' } },
  async world => {
    const ids = await circle(world, 8)
    await whileWorkersAreAway(world, async () => {
      ids.push(...(await postMany(world, 'u', 3)))
      await world.evict()
      await allSee(world, ids, 'away')
      ids.push(...(await postMany(world, 'v', 3)))
    })
    await world.settle()
    await allSee(world, ids, 'back')
    await exact(world, ...READERS)
  }
)

scenario(
  'RB-02: a loud author who is blocked, deleted or hidden leaves room for a quiet one',
  { modes: BEHIND_API, settings: { cap: '20' } },
  async world => {
    await following(world, 'v', 'loud', 'quiet')
    const calm = await postMany(world, 'quiet', 5)
    const loud = await postMany(world, 'loud', 60)
    await walkHome(world, 'v')
    await world.settle()
    const first = async () => {
      await world.evict('v')
      const page = await world.as('v').feed({ limit: 10 })
      return [page.items.map(({ id }) => id), page.nextCursor]
    }
    for (const id of loud.slice(0, 20)) await world.as('loud').deletePost(id)
    for (const id of loud.slice(20)) await world.as('v').hide(id)
    assert.deepEqual(await first(), [calm, null])
    for (const id of loud.slice(20, 40)) await world.as('v').unhide(id)
    assert.deepEqual(await walkHome(world, 'v', 7), [...loud.slice(20, 40), ...calm])
    await world.as('v').block('loud')
    assert.deepEqual(await first(), [calm, null])
    await world.settle()
    assert.deepEqual(await first(), [calm, null])
    await exact(world, 'v')
  }
)

scenario(
  'RB-04: the first call of who comes back is whole, whatever it is',
  { modes: BEHIND_API },
  async world => {
    await following(world, 'v', 'a', 'b')
    await following(world, 'alone')
    const ids = newestFirst(await postMany(world, 'a', 15), await postMany(world, 'b', 15))
    await world.settle()
    const [anchor = ''] = ids.slice(10)
    const v = world.as('v')
    const calls = [
      async () => (await v.feed({ limit: 10 })).items.map(({ id }) => id),
      async () => (await v.feed({ after: anchor, limit: 10 })).items.map(({ id }) => id).reverse(),
      async () => ids.slice(0, (await v.newer({ after: anchor })).count)
    ]
    for (const call of calls) {
      await world.evict()
      assert.deepEqual(await call(), ids.slice(0, 10))
      await world.settle()
      assert.deepEqual(await walkHome(world, 'v', 7), ids)
    }
    await world.evict()
    for (const _ of ['cold', 'warm']) {
      assert.deepEqual(await world.as('alone').feed(), { items: [], nextCursor: null })
      await world.settle()
    }
  }
)

scenario(
  'RB-07: many readers at once after all is lost: nobody fails, and posting goes on',
  { modes: BEHIND_API },
  async world => {
    const readers = Array.from({ length: 20 }, (_, n) => `r${n}`)
    await world.admin.batch({ follows: readers.map(follower => ({ follower, followee: 'a' })) })
    const ids = await postMany(world, 'a', 20)
    await world.settle()
    await world.evict()
    const reads = readers.flatMap(reader =>
      Array.from({ length: 10 }, async () => {
        const { items } = await world.as(reader).feed({ limit: 20 })
        assert.deepEqual(
          items.map(({ id }) => id),
          ids
        )
      })
    )
    await Promise.all([postMany(world, 'b', 5), ...reads])
    await world.settle()
    await exact(world, ...readers.slice(0, 5))
  }
)

const ROUNDS = thorough ? 500 : 40

scenario(
  `RB-08: ${ROUNDS} times a post is made while the feed of its reader is built`,
  { modes: BEHIND_API, settings: { cap: '20' }, limits: { slack: 2 } },
  async world => {
    await following(world, 'v', 'a', 'b')
    const ids: PostId[] = []
    for (let round = 0; round < ROUNDS; round++) {
      await world.evict('v')
      const turns = async (count: number) => {
        for (let n = 0; n < count; n++) await new Promise(resolve => setImmediate(resolve))
      }
      const [, made] = await Promise.all([
        turns((round * 7) % 40).then(() => world.as('v').feed({ limit: 5 })),
        turns((round * 11) % 40).then(() => world.as('a').createPost({ content: `${round}` }))
      ])
      ids.push(made.id)
      if (round % 10 !== 9) continue
      await world.settle()
      const { items } = await world.as('v').feed({ limit: 50 })
      assert.deepEqual(
        items.map(({ id }) => id),
        newestFirst(ids).slice(0, 50)
      )
    }
    await exact(world, 'v')
  }
)

scenario(
  'RB-10: feeds go and are built again between any two pages',
  { modes: BEHIND_API },
  async world => {
    await following(world, 'v', 'a', 'b')
    const ids = newestFirst(await postMany(world, 'a', 15), await postMany(world, 'b', 15))
    await world.settle()
    const between = async (page: number) => {
      if (page % 2 === 1) await world.evict('v')
      if (page % 3 === 0) await world.admin.rebuild('v')
      await postMany(world, 'a', 1)
    }
    assert.deepEqual(await walk(query => world.as('v').feed(query), 4, between), ids)
  }
)

scenario(
  'RB-a2: rules are lost with the feeds, and hold all the same',
  { modes: BEHIND_API, settings: { cap: '10', threshold: '3' }, limits: { graceMs: 20 } },
  async world => {
    const authors = ['a', 'b', 'c', 'd', 'star']
    for (const reader of ['v', 'x', 'y']) await following(world, reader, 'star')
    await following(world, 'v', ...authors)
    const posts = new Map<string, PostId[]>()
    for (const author of authors) posts.set(author, await postMany(world, author, 4))
    await walkHome(world, 'v')
    await world.settle()
    const v = world.as('v')
    const [hidden = '', ...others] = posts.get('a') ?? []
    const changes = [
      () => v.hide(hidden),
      () => v.mute('b'),
      () => v.block('c'),
      () => v.unfollow('d'),
      () => v.mute('star'),
      () => v.unmute('star')
    ]
    for (const [n, change] of changes.entries()) {
      await Promise.all([change(), n % 2 === 0 ? world.evict() : v.feed()])
      await world.evict()
      await v.feed()
    }
    const expected = newestFirst(others, posts.get('star') ?? [])
    assert.deepEqual(await walkHome(world, 'v', 3), expected)
    await world.restart()
    assert.deepEqual(await walkHome(world, 'v', 3), expected)
    await world.settle()
    await exact(world, 'v')
  }
)
