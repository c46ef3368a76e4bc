// Failures that happened to feed systems, replayed on builds: builders that die, readers who come back, feeds that go.
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { openWorld, PageWorld, WORLDS } from '../../../../testkit/page-world.ts'
import { runs } from '../../../../testkit/runs.ts'
import { createMemoryFeeds } from '../adapters/memory/feeds.ts'
import { Problem } from '../domain/errors.ts'
import { DAY_MS, type Limits } from '../domain/limits.ts'
import { END, type PostId } from '../domain/post-id.ts'

function each(
  name: string,
  limits: Partial<Limits>,
  body: (world: PageWorld) => Promise<void>
): void {
  for (const kind of WORLDS)
    test(`${name} (${kind})`, async t => body(await openWorld(t, kind, limits)))
}

/** A reader of two authors who wrote `count` posts; newest first. */
async function reading(world: PageWorld, count: number) {
  const [v, a, b] = (await world.users('v', 'a', 'b')) as [number, number, number]
  await world.follow(v, a)
  await world.follow(v, b)
  const ids: PostId[] = []
  for (let n = 0; n < count; n++) ids.unshift(await world.pastPost(n % 2 === 0 ? a : b))
  return { v, a, b, ids, list: `feed:${v}` as const }
}

const stateOf = async (world: PageWorld, list: `feed:${number}`) =>
  (await world.feeds.take(list, END, 1)).state

each(
  'RB-03, RB-05: a builder dies: its half of a feed is never shown, and another one builds it',
  { cap: 10 },
  async world => {
    const { v, a, ids, list } = await reading(world, 20)
    assert.ok(await world.feeds.begin(list, 'dying'))
    assert.deepEqual(await world.walk(v, 5), ids, 'while it is built')
    ids.unshift(await world.post(a))
    assert.equal(await stateOf(world, list), 'building')
    assert.deepEqual(await world.walk(v, 5), ids, 'with a push in it')
    assert.equal(await world.build(list), false, 'one builder at a time')
    await world.wait(world.limits.buildMs - 1)
    assert.deepEqual(await world.walk(v, 5), ids, 'reads keep it no longer')
    await world.wait(1001)
    assert.equal(await stateOf(world, list), 'cold')
    assert.equal(await world.finish(list, 'dying'), false, 'the dead one comes too late')
    assert.ok(await world.feeds.begin(list, 'second'))
    ids.unshift(await world.post(a))
    assert.equal(await world.finish(list, 'dying'), false)
    assert.ok(await world.finish(list, 'second'))
    assert.equal(await stateOf(world, list), 'warm')
    assert.deepEqual(await world.walk(v, 5), ids, 'built, with what was pushed meanwhile')
    assert.equal(await world.finish(list, 'second'), false)
  }
)

each(
  'RB-04: whoever comes back after a month has a whole first page on each way in',
  { cap: 10 },
  async world => {
    const { v, ids, list } = await reading(world, 20)
    await world.build(list)
    const [anchor = ''] = ids.slice(7, 8)
    const ways: (() => Promise<readonly PostId[]>)[] = [
      async () => (await world.pager.home(v, { below: END, limit: 7 })).ids,
      async () => (await world.pager.newer(v, { above: anchor, limit: 7 })).ids.toReversed(),
      async () => {
        const { count, more } = await world.pager.countNewer(v, { above: anchor, limit: 100 })
        return more ? [] : ids.slice(0, count)
      }
    ]
    for (const way of ways) {
      assert.equal(await stateOf(world, list), 'warm')
      await world.wait(31 * DAY_MS)
      await world.feeds.expire()
      assert.equal(await stateOf(world, list), 'cold')
      assert.deepEqual(await way(), ids.slice(0, 7))
      assert.ok(world.asked.has(list), 'a build was asked for')
      await world.buildAsked()
      assert.deepEqual(await world.walk(v, 3), ids)
    }
    const [alone] = (await world.users('alone')) as [number]
    for (const _ of ['cold', 'warm']) {
      const page = await world.pager.home(alone, { below: END, limit: 5 })
      assert.deepEqual([page.ids, page.next, page.partial], [[], null, false])
      await world.buildAsked()
    }
  }
)

each(
  'RB-10: whoever reads stays active, however they read; an eviction amid a walk loses nothing',
  { cap: 10 },
  async world => {
    const { v, ids, list } = await reading(world, 20)
    const [anchor = ''] = ids.slice(3, 4)
    const reads = [
      () => world.pager.home(v, { below: END, limit: 2 }),
      () => world.pager.newer(v, { above: anchor, limit: 2 }),
      () => world.pager.countNewer(v, { above: anchor, limit: 10 })
    ]
    for (const read of reads) {
      await world.feeds.drop([list])
      await world.build(list)
      for (let n = 0; n < 4; n++) {
        await world.wait(20 * DAY_MS)
        await world.feeds.expire()
        assert.equal((await world.feeds.stats()).warm > 0, true)
        await read()
      }
    }
    const first = await world.pager.home(v, { below: END, limit: 7 })
    await world.wait(31 * DAY_MS)
    await world.feeds.expire()
    assert.equal(await stateOf(world, list), 'cold')
    const rest = await world.walk(v, 7, first.next ?? '')
    assert.deepEqual([...first.ids, ...rest], ids)
  }
)

each(
  'RB-a1: builds, pushes and evictions in every order of three leave no hole',
  { cap: 4, slack: 0 },
  async world => {
    const { v, a, ids, list } = await reading(world, 9)
    const steps = {
      push: async () => ids.unshift(await world.post(a)),
      evict: () => world.feeds.drop([list]),
      settle: () => world.feeds.settle(list)
    }
    const names = Object.keys(steps) as (keyof typeof steps)[]
    for (const first of names)
      for (const second of names)
        for (const third of names) {
          const token = `${first} ${second} ${third}`
          await world.feeds.drop([list])
          assert.ok(await world.feeds.begin(list, token))
          await steps[first]()
          const found = await world.store.homeIds(v, END, world.limits.cap + 1, 'kept')
          await steps[second]()
          const evicted = [first, second].includes('evict')
          const done = await world.feeds.finish(list, token, found, false)
          assert.equal(done, !evicted, token)
          await steps[third]()
          assert.deepEqual(await world.walk(v, 3), ids, token)
        }
  }
)

const PEOPLE = Array.from({ length: 8 }, (_, n) => `u${n}`)
const KINDS = ['post', 'post', 'follow', 'follow', 'unfollow', 'block', 'unblock', 'mute'] as const
const MORE = ['unmute', 'hide', 'unhide', 'delete', 'evict', 'build', 'pull', 'push'] as const
const who = fc.nat(PEOPLE.length - 1)
const step = fc.record({ kind: fc.constantFrom(...KINDS, ...MORE), u: who, v: who, n: fc.nat(400) })
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** One Store under two caches: one that lives through it all, and one that is built afresh. */
class Differential {
  readonly #posts: { id: PostId; author: number }[] = []
  readonly #world: PageWorld
  readonly #people: readonly number[]

  constructor(world: PageWorld, people: readonly number[]) {
    this.#world = world
    this.#people = people
  }

  async run({ kind, u, v, n }: Step): Promise<void> {
    const world = this.#world
    const [one, other] = [this.#people[u] as number, this.#people[v] as number]
    const post = this.#posts[n % Math.max(1, this.#posts.length)]
    if (kind === 'post') this.#posts.push({ id: await world.post(one), author: one })
    else if (kind === 'evict') await world.feeds.drop([`feed:${one}`])
    else if (kind === 'build') await world.build(`feed:${one}`)
    else if (kind === 'pull' || kind === 'push') await world.deliverBy(one, kind)
    else if (kind === 'delete') await (post && world.delete(post.author, post.id))
    else if (kind === 'hide' || kind === 'unhide')
      await (post && world.hide(one, post.id, kind === 'hide'))
    else if (one !== other && kind === 'follow') await world.follow(one, other)
    else if (one !== other && kind !== 'follow') await world.rule(kind, one, other)
  }

  async compare(limit: number): Promise<void> {
    const { store, clock, limits } = this.#world
    await using feeds = createMemoryFeeds({ clock, limits })
    const rebuilt = new PageWorld({ store, feeds, clock, limits })
    for (const reader of this.#people) {
      const oracle = await this.#world.oracle(reader)
      await rebuilt.build(`feed:${reader}`)
      assert.deepEqual(await this.#world.walk(reader, limit), oracle, 'as it stands')
      assert.deepEqual(await this.#world.walk(reader, limit, END, 'store'), oracle, 'evicted')
      assert.deepEqual(await rebuilt.walk(reader, limit), oracle, 'rebuilt')
    }
  }
}

test('BL-07: as it stands, evicted and rebuilt, feeds are filtered alike, after each of 500 steps', async t => {
  const steps = fc.array(step, { minLength: 500, maxLength: 500, size: 'max' })
  const property = fc.asyncProperty(steps, async calls => {
    const world = await openWorld(t, 'memory', { cap: 6, slack: 1 })
    const differential = new Differential(world, await world.users(...PEOPLE))
    for (const call of calls) {
      await differential.run(call).catch(error => {
        if (!(error instanceof Problem)) throw error
      })
      await differential.compare(3 + (call.n % 9))
    }
  })
  await fc.assert(property, runs(1))
})
