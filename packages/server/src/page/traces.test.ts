// What was written a moment ago is on the page that names it, whatever lists and caches know of it.
import assert from 'node:assert/strict'
import test from 'node:test'
import type { Post } from '@fanwise/sdk'
import { openWorld, type PageWorld, parseItems, WORLDS } from '../../../../testkit/page-world.ts'
import type { Trace } from '../domain/commit.ts'
import { BEGINNING, END, type PostId } from '../domain/post-id.ts'
import type { Rules } from '../domain/rules.ts'

type Setup = { world: PageWorld; v: number; a: number; s: number }

/** A reader with a pushed and a merged followee, and a warm feed that goes over the seam. */
function each(name: string, body: (setup: Setup) => Promise<void>): void {
  for (const kind of WORLDS)
    test(`${name} (${kind})`, async t => {
      const world = await openWorld(t, kind, { cap: 10 })
      const [v, a, s] = (await world.users('v', 'a', 's')) as [number, number, number]
      for (const author of [a, s]) await world.follow(v, author)
      await world.deliverBy(s, 'pull')
      for (let n = 0; n < 24; n++) await world.pastPost([v, a, s][n % 3] as number)
      await world.build(`feed:${v}`)
      await body({ world, v, a, s })
    })
}

async function walk(world: PageWorld, reader: number, limit: number, traces: readonly Trace[]) {
  const ids: PostId[] = []
  for (let below: PostId | null = END; below !== null; ) {
    const page = await world.pager.home(reader, { below, limit, traces })
    ids.push(...page.ids)
    below = page.next
  }
  return ids
}

async function walkUp(world: PageWorld, reader: number, limit: number, traces: readonly Trace[]) {
  const ids: PostId[] = []
  for (let above: PostId | null = BEGINNING; above !== null; ) {
    const page = await world.pager.newer(reader, { above, limit, traces })
    ids.push(...page.ids)
    above = page.next
  }
  return ids
}

async function assertExact(world: PageWorld, reader: number, traces: readonly Trace[]) {
  const oracle = await world.oracle(reader)
  for (const limit of [1, 3, 10, 50]) {
    assert.deepEqual(await walk(world, reader, limit, traces), oracle, `limit ${limit}`)
    assert.deepEqual(await walkUp(world, reader, limit, traces), oracle.toReversed())
  }
}

/** Lets Feeds hold rules of another time. */
async function plant(world: PageWorld, reader: number, rules: Rules): Promise<void> {
  await world.feeds.dropRules([reader])
  const read = await world.feeds.rules(reader)
  assert.ok('lease' in read && read.lease !== null)
  await world.feeds.fillRules(reader, read.lease, rules)
}

each('own posts that the warm feed lacks are in their places', async ({ world, v }) => {
  const made: PostId[] = []
  for (let n = 0; n < 3; n++) {
    await world.wait(1)
    const { value } = await world.store.publish({ author: v, content: 'own', attrs: {} })
    made.push(value.post.id)
  }
  // One of them is older than the floor, and one stands between others.
  const oracle = await world.oracle(v)
  const between = oracle[4] as PostId
  const below = oracle.at(-2) as PostId
  await world.feeds.remove(`feed:${v}`, [between])
  const traces = [...made, between, below].map(post => ({ kind: 'post', author: v, post }) as const)
  assert.notDeepEqual(await walk(world, v, 10, []), oracle, 'without traces they are missing')
  await assertExact(world, v, traces)
})

each('a trace of a deleted post shows nothing, of an edited one the edit', async ({ world, v }) => {
  const [first, second] = (await world.oracle(v)) as [PostId, PostId]
  const mine = [first, second].concat(await world.oracle(v))
  const own: PostId[] = []
  for (const post of await world.store.postsByIds(mine)) if (post.author === v) own.push(post.id)
  const [gone, changed] = own.sort().reverse() as [PostId, PostId]
  await world.pager.home(v, { below: END, limit: 50 })
  // Nobody is told: this process keeps both as they were.
  await world.store.deletePost(v, gone)
  await world.store.editPost(v, changed, { content: 'edited' })
  const traces = [gone, changed].map(post => ({ kind: 'post', author: v, post }) as const)
  const page = await world.pager.home(v, { below: END, limit: 50, traces })
  assert.ok(!page.ids.includes(gone))
  const shown = parseItems<Post>(page.items).find(({ id }) => id === changed)
  assert.equal(shown?.content, 'edited')
  await assertExact(world, v, traces)
})

each('rules cached from before a change are not used', async ({ world, v, a, s }) => {
  const before = await world.store.rules(v)
  const stale = { ...before, pulled: new Map(before.pulled) }
  const changes = [
    () => world.store.block(v, a),
    () => world.store.mute(v, s),
    () => world.store.unmute(v, s),
    () => world.store.unfollow(v, s)
  ]
  for (const change of changes) {
    await change()
    await plant(world, v, stale)
    await assertExact(world, v, [{ kind: 'rules', reader: v }])
  }
  const [hidden] = (await world.oracle(v)) as [PostId]
  await world.store.hide(v, hidden)
  await plant(world, v, stale)
  const named = { below: END, limit: 50, traces: [{ kind: 'rules', reader: v }] as const }
  assert.ok((await world.pager.home(v, { below: END, limit: 50 })).ids.includes(hidden))
  assert.ok(!(await world.pager.home(v, named)).ids.includes(hidden))
  assert.ok(!(await world.pager.timeline(v, v, named)).ids.includes(hidden))
  await assert.rejects(world.pager.timeline(v, a, named), { code: 'user_not_found' })
})

each('posts of an author just followed are there before the backfill', async ({ world, v }) => {
  const [n] = (await world.users('n')) as [number]
  for (let k = 0; k < 14; k++) await world.pastPost(n)
  await world.store.follow(v, n)
  const traces = [{ kind: 'follow', reader: v, author: n }] as const
  assert.notDeepEqual(await walk(world, v, 10, []), await world.oracle(v))
  await assertExact(world, v, traces)
  assert.ok(!world.asked.has(`timeline:${n}`), 'a timeline that is soon not read is not built')
  await world.deliverBy(n, 'pull')
  await assertExact(world, v, traces)
  assert.ok(world.asked.has(`timeline:${n}`), 'one that is merged from now on is')
  await world.store.unfollow(v, n)
  for (const cut of await world.store.ripeCuts(0, 10)) await world.store.removeCut(cut)
  await world.feeds.dropRules([v])
  await assertExact(world, v, traces)
})

each('posts of others are shown only to who follows their author', async ({ world, v, a }) => {
  const [n] = (await world.users('n')) as [number]
  const publish = async (author: number) =>
    (await world.store.publish({ author, content: 'text', attrs: {} })).value.post.id
  const traces = [
    { kind: 'post', author: a, post: await publish(a) },
    { kind: 'post', author: n, post: await publish(n) }
  ] as const
  await assertExact(world, v, traces)
  assert.equal((await walk(world, n, 10, traces)).length, 1)
})
