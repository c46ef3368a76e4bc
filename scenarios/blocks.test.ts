// Blocks, mutes and hides: nothing shines through on any path, on any server, and all of it comes back.
import assert from 'node:assert/strict'
import test from 'node:test'
import type { FeedApi, PostId } from '@fanwise/sdk'
import fc from 'fast-check'
import { waitUntil } from '../scripts/services/wait-until.ts'
import { runs } from '../testkit/runs.ts'
import { startServer, type TestServer } from '../testkit/server.ts'
import { without } from '../testkit/services.ts'
import { thorough } from '../testkit/thorough.ts'
import { walk } from '../testkit/walk.ts'
import { BEHIND_API, MODES, type Mode } from './modes.ts'
import { createWorld, following, postMany, scenario, type World, walkHome } from './world.ts'

const newestFirst = (...lists: (readonly PostId[])[]) => lists.flat().sort().reverse()
const noPost = { code: 'post_not_found' }
const noUser = { code: 'user_not_found' }

async function exact(world: World, ...readers: string[]): Promise<void> {
  for (const reader of readers) {
    const { differences, examples } = await world.admin.verify(reader)
    assert.equal(differences, 0, JSON.stringify(examples))
  }
}

/** Whatever one can read of another who may not be seen. */
async function seesNothingOf(api: FeedApi, user: string, ids: readonly PostId[]): Promise<void> {
  const shown = await walk(query => api.feed(query), 3)
  for (const id of ids) {
    assert.ok(!shown.includes(id))
    await assert.rejects(api.getPost(id), noPost)
    await assert.rejects(api.like(id), noPost)
    await assert.rejects(api.hide(id), noPost)
  }
  await assert.rejects(api.getUser(user), noUser)
  for (const list of ['userPosts', 'followers', 'following'] as const)
    await assert.rejects(api[list](user), noUser)
  for (const list of ['followers', 'following'] as const)
    assert.ok((await api[list]('b')).items.every(({ id }) => id !== user))
}

scenario(
  'BL-01: pages refill when an author is blocked amid a walk',
  { modes: BEHIND_API },
  async world => {
    await following(world, 'v', 'a', 'b')
    const [a, b]: [PostId[], PostId[]] = [[], []]
    for (let n = 0; n < 10; n++) {
      a.unshift(...(await postMany(world, 'a', 1)))
      b.unshift(...(await postMany(world, 'b', 1)))
    }
    await world.as('b').follow('a')
    await walkHome(world, 'v')
    await world.settle()
    const v = world.as('v')
    const first = await v.feed({ limit: 5 })
    const last = first.items.at(-1)?.id ?? ''
    await v.block('a')
    const ids = async (query: Parameters<FeedApi['feed']>[0]) =>
      (await v.feed(query)).items.map(({ id }) => id)
    assert.deepEqual(await ids({ limit: 10 }), b)
    const under = b.filter(id => id < last)
    assert.deepEqual(await ids({ limit: 5, cursor: first.nextCursor ?? '' }), under.slice(0, 5))
    assert.deepEqual(await ids({ after: last, limit: 10 }), b.filter(id => id > last).reverse())
    await seesNothingOf(v, 'a', a)
    const counted = async () =>
      (await world.as('b').getUser('a')).counts.followers === 1 &&
      (await v.getUser('v')).counts.following === 1
    assert.ok(await waitUntil(counted, 10_000), 'counts of ended follows')
    await exact(world, 'v', 'b')
  }
)

scenario(
  'BL-03: who was blocked sees nothing on any path, of a blocker who is pulled too',
  { settings: { threshold: '3', cap: '10' }, limits: { graceMs: 20 } },
  async world => {
    for (const fan of ['a', 'b', 'c', 'd']) await following(world, fan, 'v')
    const ids = await postMany(world, 'v', 2)
    for (const fan of ['a', 'b']) await walkHome(world, fan)
    await world.settle()
    await world.as('v').block('a')
    ids.unshift(...(await postMany(world, 'v', 2)))
    for (const round of ['at once', 'settled', 'rebuilt']) {
      await seesNothingOf(world.as('a'), 'v', ids)
      await seesNothingOf(world.as('v'), 'a', [])
      assert.deepEqual(await walkHome(world, 'b', 3), ids, round)
      if (round === 'settled') await world.evict()
      await world.settle()
    }
    await exact(world, 'a', 'b', 'v')
  }
)

scenario(
  'BL-06: a block that is lifted within a moment, while pushes and cleaning go on',
  { modes: BEHIND_API, settings: { cap: '10' }, limits: { cutMs: 0 } },
  async world => {
    await following(world, 'v', 'a', 'b')
    const ids = newestFirst(await postMany(world, 'a', 5), await postMany(world, 'b', 5))
    await walkHome(world, 'v')
    await world.settle()
    const v = world.as('v')
    for (let round = 0; round < 4; round++) {
      const posting = postMany(world, 'a', 2)
      await v.block('a')
      if (round % 2 === 1) await world.settle()
      await v.unblock('a')
      await v.follow('a')
      ids.unshift(...(await posting))
      assert.deepEqual(await walkHome(world, 'v', 4), newestFirst(ids), `round ${round}`)
      await world.settle()
      assert.deepEqual(await walkHome(world, 'v', 4), newestFirst(ids), `settled ${round}`)
    }
    for (const id of ids.slice(0, 3)) await v.hide(id)
    assert.deepEqual(await walkHome(world, 'v', 4), newestFirst(ids.slice(3)))
    await Promise.all(ids.slice(0, 3).map(id => v.unhide(id)))
    assert.deepEqual(await walkHome(world, 'v', 4), newestFirst(ids))
    await exact(world, 'v')
  }
)

const PEOPLE = Array.from({ length: 8 }, (_, n) => `u${n}`)
const KINDS = ['post', 'post', 'follow', 'follow', 'block', 'unblock', 'mute', 'unmute'] as const
const person = fc.constantFrom(...PEOPLE)
const step = fc.record({
  kind: fc.constantFrom(...KINDS, 'unfollow', 'hide', 'unhide', 'delete', 'evict'),
  who: person,
  whom: person,
  n: fc.nat(100)
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

async function take(world: World, posts: { id: PostId; author: string }[], one: Step) {
  const { kind, who, whom, n } = one
  const post = posts[n % Math.max(1, posts.length)]
  if (kind === 'post') {
    const { id } = await world.as(who).createPost({ content: kind })
    posts.push({ id, author: who })
  } else if (kind === 'evict') await world.evict(who)
  else if (kind === 'delete') await (post && world.as(post.author).deletePost(post.id))
  else if (kind === 'hide' || kind === 'unhide') await (post && world.as(who)[kind](post.id))
  else if (who !== whom) await world.as(who)[kind](whom)
}

const STEPS = thorough ? 60 : 15

for (const mode of BEHIND_API)
  test(`BL-07: as it stands, evicted and rebuilt, feeds are filtered alike after each step [${mode}]`, {
    skip: without(...MODES[mode].needs)
  }, async t => {
    const steps = fc.array(step, { minLength: STEPS, maxLength: STEPS, size: 'max' })
    const property = fc.asyncProperty(steps, async all => {
      const world = await createWorld(t, mode, {
        settings: { cap: '10', threshold: '3' },
        limits: { graceMs: 20, slack: 2 }
      })
      await world.admin.batch({ users: PEOPLE.map(id => ({ id })) })
      const posts: { id: PostId; author: string }[] = []
      for (const one of all) {
        await take(world, posts, one).catch((error: { code?: string }) =>
          assert.match(error.code ?? `${error}`, /^(blocked|post_not_found)$/)
        )
        await exact(world, one.who, one.whom)
      }
      await exact(world, ...PEOPLE)
      await world.stop()
    })
    await fc.assert(property, runs(1))
  })

/** Servers that share one database and one Redis. */
for (const mode of ['single', 'zset', 'cluster'] satisfies Mode[])
  test(`BL-a1: rules that change on one server hold on the other at once [${mode}]`, {
    skip: without(...MODES[mode].needs)
  }, async t => {
    const settings = { ...MODES[mode].settings(), threshold: '3' }
    const one = await startServer(t, { settings })
    const two = await startServer(t, { settings, databaseUrl: one.databaseUrl })
    const ids = await beforeRules(one)
    const [a, b] = [ids.filter((_, n) => n % 2 === 1), ids.filter((_, n) => n % 2 === 0)]
    const changes = [
      ['block', []],
      ['unblock', []],
      ['follow', a],
      ['mute', []],
      ['unmute', a],
      ['unfollow', []]
    ] as const
    for (const [n, [change, shown]] of [...changes, ...changes.slice(2)].entries()) {
      const [writes, reads] = n % 2 === 0 ? [one, two] : [two, one]
      await writes.client('v')[change]('a')
      const api = reads.client('v')
      assert.deepEqual(await walk(query => api.feed(query), 4), newestFirst(shown, b), change)
    }
  })

async function beforeRules(server: TestServer): Promise<PostId[]> {
  const follows = ['a', 'b'].map(followee => ({ follower: 'v', followee }))
  await server.admin.batch({ users: ['v', 'a', 'b'].map(id => ({ id })), follows })
  const ids: PostId[] = []
  for (let n = 0; n < 12; n++) {
    const author = n % 2 === 0 ? 'a' : 'b'
    ids.unshift((await server.client(author).createPost({ content: author })).id)
  }
  await server.client('v').feed()
  assert.ok(await server.admin.settle(20_000))
  return ids
}

scenario(
  'BL-a2: a block and a mute of the same author, and a hide of their post, are lifted one by one',
  { modes: BEHIND_API },
  async world => {
    await following(world, 'v', 'a', 'b')
    const [a, b] = [await postMany(world, 'a', 4), await postMany(world, 'b', 4)]
    await walkHome(world, 'v')
    await world.settle()
    const v = world.as('v')
    const [hidden = '', ...others] = a
    await v.hide(hidden)
    await v.mute('a')
    await v.block('a')
    // The blocked one blocks back: either alone is enough.
    await world.as('a').block('v')
    const shows = async (ids: readonly PostId[], when: string) => {
      assert.deepEqual(await walkHome(world, 'v', 3), newestFirst(ids, b), when)
      await world.evict('v')
      assert.deepEqual(await walkHome(world, 'v', 3), newestFirst(ids, b), `${when}, evicted`)
    }
    await shows([], 'all of it')
    await v.unblock('a')
    await assert.rejects(v.follow('a'), { code: 'blocked' })
    await shows([], 'blocked by the author')
    await seesNothingOf(v, 'a', a)
    await world.as('a').unblock('v')
    await shows([], 'no follow yet')
    await v.follow('a')
    await shows([], 'still muted')
    await v.unmute('a')
    await shows(others, 'still hidden')
    await v.unhide(hidden)
    await shows(a, 'nothing left')
    await world.settle()
    await exact(world, 'v')
  }
)
