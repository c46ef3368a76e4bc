// Pushes that wait, overtake each other or come all at once: feeds are what was written, in its order.
import assert from 'node:assert/strict'
import type { PostId } from '@fanwise/sdk'
import { BEHIND_API } from './modes.ts'
import { whileWorkersAreAway } from './workers-away.ts'
import { following, postMany, scenario, type World, walkHome } from './world.ts'

const newestFirst = (...lists: (readonly PostId[])[]) => lists.flat().sort().reverse()
const named = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${prefix}${n}`)

async function sees(world: World, reader: string, ids: readonly PostId[], when: string) {
  for (const limit of [1, 2, 10])
    assert.deepEqual(await walkHome(world, reader, limit), ids, `${when}: ${reader} by ${limit}`)
}

async function exact(world: World, ...readers: string[]): Promise<void> {
  for (const reader of readers) {
    const { differences, examples } = await world.admin.verify(reader)
    assert.equal(differences, 0, JSON.stringify(examples))
  }
}

scenario(
  'FO-01: an author crosses the threshold while pushes wait',
  { modes: BEHIND_API, settings: { threshold: '3', cap: '10' }, limits: { graceMs: 20 } },
  async world => {
    for (const reader of ['v1', 'v2']) await following(world, reader, 'a')
    const ids: PostId[] = []
    const post = async (count: number) => void ids.unshift(...(await postMany(world, 'a', count)))
    await post(2)
    for (const reader of ['v1', 'v2']) await walkHome(world, reader)
    await world.settle()
    await whileWorkersAreAway(world, async () => {
      await post(1)
      for (const reader of ['v3', 'v4']) await world.as(reader).follow('a')
      await post(1)
      await sees(world, 'a', ids, 'while workers are away')
    })
    await post(1)
    await world.settle()
    for (const reader of ['v1', 'v2', 'v3', 'v4']) await sees(world, reader, ids, 'crossed up')
    await whileWorkersAreAway(world, async () => {
      await post(1)
      for (const reader of ['v3', 'v4']) await world.as(reader).unfollow('a')
      await world.evict('v2')
      await post(1)
    })
    await post(1)
    await world.settle()
    for (const reader of ['v1', 'v2']) await sees(world, reader, ids, 'crossed down')
    for (const reader of ['v3', 'v4']) await sees(world, reader, [], 'left')
    await exact(world, 'v1', 'v2', 'v3', 'v4')
  }
)

scenario(
  'FO-06: posts that are worked off late stand where they were written',
  { modes: BEHIND_API },
  async world => {
    await following(world, 'v', 'a', 'b')
    await walkHome(world, 'v')
    const minutesAgo = (minutes: number) => new Date(Date.now() - 60_000 * minutes).toISOString()
    const write = (author: string, minutes: readonly number[]) =>
      world.admin.batch({
        posts: minutes.map(age => ({ author, content: `${age}`, createdAt: minutesAgo(age) }))
      })
    const ids: PostId[] = []
    await whileWorkersAreAway(world, async () => {
      const first = await world.as('b').createPost({ content: 'first in, and the newest' })
      ids.push(first.id)
      ids.push(
        ...(await write('b', [15, 45])).postIds,
        ...(await write('a', [50, 40, 30, 20, 10])).postIds
      )
    })
    await world.settle()
    await sees(world, 'v', newestFirst(ids), 'late')
    const { items } = await world.as('v').feed()
    const times = items.map(({ createdAt }) => createdAt)
    assert.deepEqual(times, times.toSorted().reverse())
    assert.deepEqual(
      items.slice(1).map(({ content }) => content),
      ['10', '15', '20', '30', '40', '45', '50']
    )
    await exact(world, 'v')
  }
)

for (const cap of ['200', '10'])
  scenario(
    `FO-08: many push into one feed of ${cap} while its reader follows more authors`,
    { modes: BEHIND_API, settings: { cap }, limits: { slack: 3 } },
    async world => {
      const [authors, more] = [named('a', 20), named('more', 5)]
      await following(world, 'v', ...authors)
      const older: PostId[] = []
      for (const author of more) older.push(...(await postMany(world, author, 2)))
      await walkHome(world, 'v')
      await world.settle()
      const posting = authors.map(author => postMany(world, author, 5))
      const follows = more.map(author => world.as('v').follow(author))
      const ids = newestFirst(older, ...(await Promise.all(posting)))
      await Promise.all(follows)
      await world.settle()
      assert.deepEqual(await walkHome(world, 'v', 7), ids)
      const top = (await world.as('v').feed({ limit: 10 })).items
      assert.deepEqual(
        top.map(({ id }) => id),
        ids.slice(0, 10)
      )
      await exact(world, 'v')
    }
  )

scenario(
  'FO-a2: a reader who follows while the posts of the author wait has each once',
  { modes: BEHIND_API, settings: { cap: '10', threshold: '4' }, limits: { graceMs: 20 } },
  async world => {
    await following(world, 'u', 'a', 'b')
    await following(world, 'v', 'b')
    await following(world, 'w')
    const ids = await postMany(world, 'a', 3)
    for (const reader of ['u', 'v', 'w']) await walkHome(world, reader)
    await world.settle()
    await whileWorkersAreAway(world, async () => {
      ids.unshift(...(await postMany(world, 'a', 2)))
      await world.as('v').follow('a')
      await sees(world, 'v', ids, 'followed while they wait')
      ids.unshift(...(await postMany(world, 'a', 2)))
      await world.as('w').follow('a')
      await world.as('u').unfollow('a')
    })
    ids.unshift(...(await postMany(world, 'a', 6)))
    await world.settle()
    for (const reader of ['v', 'w']) await sees(world, reader, ids, 'worked off')
    await sees(world, 'u', [], 'left')
    await exact(world, 'u', 'v', 'w')
  }
)
