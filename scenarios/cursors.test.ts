// Cursors as data: they name a place, whatever has become of the feed, its settings and the posts around them.
import assert from 'node:assert/strict'
import test from 'node:test'
import type { PostId } from '@fanwise/sdk'
import { startServer } from '../testkit/server.ts'
import { walk } from '../testkit/walk.ts'
import { BEHIND_API } from './modes.ts'
import { following, postMany, scenario, type World, walkHome } from './world.ts'

const newestFirst = (...lists: (readonly PostId[])[]) => lists.flat().sort().reverse()
const idsOf = ({ items }: { items: readonly { id: PostId }[] }) => items.map(({ id }) => id)

/** Posts of one author in one ms: their ids differ in what is below the ms, or by as few ms as can be. */
async function crowded(world: World, count: number): Promise<PostId[]> {
  const createdAt = new Date(Date.now() - 60_000).toISOString()
  const posts = Array.from({ length: count }, (_, n) => ({
    author: 'a',
    content: `${n}`,
    createdAt
  }))
  return newestFirst((await world.admin.batch({ posts })).postIds)
}

/** Pages in either direction, and how many calls it took. */
async function pages(world: World, limit: number, from: { after?: PostId }) {
  const ids: PostId[] = []
  let calls = 0
  let cursor: string | undefined
  do {
    const page = await world.as('v').feed({ limit, ...(cursor === undefined ? from : { cursor }) })
    ids.push(...idsOf(page))
    cursor = page.nextCursor ?? undefined
    assert.ok(++calls < 100, 'the walk does not end')
  } while (cursor !== undefined)
  return { ids, calls }
}

scenario(
  'PG-02: many posts of one moment, down and up, by backfill and from the Store',
  { modes: BEHIND_API },
  async world => {
    await following(world, 'v')
    const before = await postMany(world, 'v', 1)
    const ids = await crowded(world, 20)
    await walkHome(world, 'v')
    await world.settle()
    await world.as('v').follow('a')
    for (const state of ['backfilled', 'evicted', 'rebuilt']) {
      if (state === 'evicted') await world.evict()
      for (const limit of [1, 3]) {
        const down = await pages(world, limit, {})
        assert.deepEqual(down.ids, newestFirst(ids, before), state)
        assert.ok(down.calls <= Math.ceil(21 / limit) + 1, `${down.calls} calls`)
        const oldest = ids.at(-1) ?? ''
        const up = await pages(world, limit, { after: oldest })
        assert.deepEqual(up.ids, newestFirst(ids.slice(0, -1), before).reverse(), state)
        assert.ok(up.calls <= Math.ceil(20 / limit) + 1, `${up.calls} calls up`)
      }
      await world.settle()
    }
  }
)

test('PG-10: lists have no offset: one that is sent is refused', async t => {
  const server = await startServer(t)
  const user = { authorization: `Bearer ${await server.token('v')}` }
  const admin = { authorization: `Bearer ${server.serverKey}` }
  await server.client('v').putUser('v', {})
  const paths = [
    'feed',
    'users/v/posts',
    'users/v/followers',
    'users/v/following',
    'blocks',
    'mutes'
  ]
  const asked: [string, Record<string, string>][] = [...paths, 'follow-requests'].map(p => [
    p,
    user
  ])
  for (const [path, headers] of [...asked, ['admin/users', admin] as const])
    for (const [query, status] of [
      ['', 200],
      ['?offset=10', 400],
      ['?skip=1', 400]
    ] as const) {
      const answer = await fetch(`${server.url}/v1/${path}${query}`, { headers })
      const body = (await answer.json()) as { code?: string }
      assert.equal(answer.status, status, `${path}${query}`)
      assert.equal(body.code, status === 400 ? 'invalid_request' : undefined)
    }
})

scenario(
  'PG-a1: the last page is full, and only the true end says so',
  { modes: BEHIND_API },
  async world => {
    await following(world, 'v', 'a')
    const ids = await postMany(world, 'a', 12)
    for (const state of ['cold', 'warm']) {
      if (state === 'cold') await world.evict()
      for (const limit of [1, 3, 4, 6, 11, 12, 13]) {
        const found: PostId[] = []
        let cursor: string | null | undefined
        for (let calls = 0; cursor !== null; calls++) {
          const page = await world.as('v').feed({ limit, ...(cursor && { cursor }) })
          found.push(...idsOf(page))
          // Before the end pages are full; behind it comes at most one that is empty.
          if (page.nextCursor !== null) assert.equal(page.items.length, limit, state)
          else assert.equal(found.length, 12, 'the end before the oldest post')
          assert.ok(calls <= Math.ceil(12 / limit), `${calls} calls by ${limit}`)
          cursor = page.nextCursor
        }
        assert.deepEqual(found, ids)
      }
      await world.settle()
    }
  }
)

const STATES = [
  { settings: { cap: '10', threshold: '1000' } },
  { settings: { cap: '30', threshold: '2' } },
  { settings: { cap: '12', delivery: 'pull' } }
]

scenario(
  'PG-a2: cursors at every post hold through other settings, lost feeds and the deletion of their post',
  { modes: BEHIND_API, settings: { cap: '10' }, limits: { graceMs: 20 } },
  async world => {
    await following(world, 'v', 'a', 'b')
    await following(world, 'w', 'a')
    const [a, b]: [PostId[], PostId[]] = [[], []]
    for (let n = 0; n < 12; n++) {
      a.unshift(...(await postMany(world, 'a', 1)))
      b.unshift(...(await postMany(world, 'b', 1)))
    }
    await world.settle()
    const cursors: { at: PostId; cursor: string }[] = []
    await walk(async query => {
      const page = await world.as('v').feed(query)
      const at = page.items.at(-1)?.id
      if (at !== undefined && page.nextCursor !== null)
        cursors.push({ at, cursor: page.nextCursor })
      return page
    }, 2)
    assert.equal(cursors.length >= 11, true)
    let ids = newestFirst(a, b)
    for (const [n, state] of STATES.entries()) {
      await world.restart(state)
      const doomed = cursors[n + 3]?.at ?? ''
      await world.as(a.includes(doomed) ? 'a' : 'b').deletePost(doomed)
      ids = ids.filter(id => id !== doomed)
      if (n === 1) await world.evict('v')
      for (const { at, cursor } of cursors) {
        const down = await world.as('v').feed({ limit: 5, cursor })
        assert.deepEqual(idsOf(down), ids.filter(id => id < at).slice(0, 5))
        const up = await world.as('v').feed({ limit: 5, after: cursor })
        const above = ids.filter(id => id > at).reverse()
        assert.deepEqual(idsOf(up), above.slice(0, 5))
      }
      await world.settle()
    }
  }
)
