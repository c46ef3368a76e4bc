// The pager against the oracle: after any calls, each page is exactly what the oracle says below its cursor.
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import fc from 'fast-check'
import { openWorld, type PageWorld } from '../../../../testkit/page-world.ts'
import { Problem } from '../domain/errors.ts'
import { END, type PostId } from '../domain/post-id.ts'

const PEOPLE = ['u0', 'u1', 'u2', 'u3']

const REFUSED = new Set(['blocked', 'account_suspended', 'post_not_found'])

/** How often each kind is drawn. */
const KINDS = {
  post: 12,
  import: 3,
  wait: 4,
  delete: 2,
  follow: 6,
  unfollow: 2,
  block: 1,
  unblock: 2,
  mute: 1,
  unmute: 1,
  hide: 2,
  unhide: 1,
  suspend: 1,
  unsuspend: 1,
  pull: 2,
  push: 2,
  drop: 2,
  clear: 1,
  build: 4,
  begin: 1,
  finish: 2,
  settle: 2,
  page: 10
}
type Kind = keyof typeof KINDS

interface Step {
  readonly kind: Kind
  readonly u: number
  readonly v: number
  readonly n: number
}

const kinds = Object.entries(KINDS).map(([kind, weight]) => ({
  weight,
  arbitrary: fc.constant(kind as Kind)
}))
const who = fc.nat({ max: PEOPLE.length - 1 })
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.oneof(...kinds),
  u: who,
  v: who,
  n: fc.nat({ max: 1000 })
})
const settings = fc.record({
  cap: fc.constantFrom(2, 3, 5, 8, 30),
  slack: fc.constantFrom(0, 2),
  pageScan: fc.constantFrom(3, 10, 5000)
})

class Model {
  readonly #world: PageWorld
  readonly #people: readonly number[]
  readonly #posts: { readonly id: PostId; readonly author: number }[] = []
  readonly #cursors = new Map<number, PostId>()
  readonly #builds: { readonly reader: number; readonly ids: readonly PostId[] }[] = []

  constructor(world: PageWorld, people: readonly number[]) {
    this.#world = world
    this.#people = people
  }

  async run({ kind, u, v, n }: Step): Promise<void> {
    const [one, other] = [this.#people[u] as number, this.#people[v] as number]
    try {
      await this.#write(kind, one, other, n)
      await this.#lists(kind, one, other, n)
      if (kind === 'page') await this.#page(one, 1 + (n % 7))
    } catch (error) {
      if (!(error instanceof Problem && REFUSED.has(error.code))) throw error
    }
  }

  async #write(kind: Kind, one: number, other: number, n: number): Promise<void> {
    const world = this.#world
    const post = this.#posts[n % Math.max(1, this.#posts.length)]
    if (kind === 'post') this.#posts.push({ id: await world.post(one), author: one })
    if (kind === 'import') {
      const age = [5, 20, 100, 1000, 10_000][n % 5] as number
      const id = await world.importPost(one, world.clock.now() - age * n)
      this.#posts.push({ id, author: one })
    }
    if (kind === 'delete' && post) await world.delete(post.author, post.id)
    if ((kind === 'hide' || kind === 'unhide') && post)
      await world.hide(one, post.id, kind === 'hide')
    if (kind === 'suspend' || kind === 'unsuspend') await world.suspend(one, kind === 'suspend')
    if (kind === 'pull' || kind === 'push') await world.deliverBy(one, kind)
    if (one === other) return
    if (kind === 'follow') await world.follow(one, other)
    if (['unfollow', 'block', 'unblock', 'mute', 'unmute'].includes(kind))
      await world.rule(kind as 'block', one, other)
  }

  async #lists(kind: Kind, one: number, other: number, n: number): Promise<void> {
    const { feeds, store, limits, clock } = this.#world
    const list = n % 3 === 0 ? (`timeline:${one}` as const) : (`feed:${one}` as const)
    if (kind === 'wait') await this.#world.wait(n * 100)
    if (kind === 'drop') await feeds.drop([list])
    if (kind === 'clear' && n % 3 === 0) await feeds.clear()
    if (kind === 'build') await this.#world.build(list)
    if (kind === 'settle') await feeds.settle(list)
    if (kind === 'begin' && (await feeds.begin(`feed:${one}`, `b${this.#builds.length}`)))
      this.#builds.push({
        reader: one,
        ids: await store.homeIds(one, END, limits.cap + 1, 'kept')
      })
    const build = this.#builds[(n + other + clock.now()) % Math.max(1, this.#builds.length)]
    if (kind === 'finish' && build)
      await feeds.finish(
        `feed:${build.reader}`,
        `b${this.#builds.indexOf(build)}`,
        build.ids,
        build.ids.length <= limits.cap
      )
  }

  /** Goes on with the walk that the reader began, however long ago. */
  async #page(reader: number, limit: number): Promise<PostId | null> {
    const below = this.#cursors.get(reader) ?? END
    const oracle = (await this.#world.oracle(reader)).filter(id => id < below)
    const { ids, next, partial } = await this.#world.pager.home(reader, { below, limit })
    const looked = next === null ? oracle : oracle.filter(id => id >= next)
    assert.deepEqual(ids, looked, `reader ${reader} below ${below} to ${next}`)
    assert.ok(next === null || next < below, 'the cursor did not get on')
    assert.equal(partial, next !== null && ids.length < limit)
    assert.ok(ids.length <= limit)
    if (next === null) this.#cursors.delete(reader)
    else this.#cursors.set(reader, next)
    return next
  }

  async walkAll(limit: number): Promise<void> {
    for (const reader of this.#people) {
      this.#cursors.delete(reader)
      while ((await this.#page(reader, limit)) !== null);
    }
  }
}

/** Everybody follows the next one, and their feeds are warm. */
async function start(t: TestContext, limits: Parameters<typeof openWorld>[2]) {
  const world = await openWorld(t, 'memory', limits)
  const people = await world.users(...PEOPLE)
  for (const [index, reader] of people.entries()) {
    await world.follow(reader, people[(index + 1) % people.length] as number)
    await world.build(`feed:${reader}`)
  }
  return { world, model: new Model(world, people) }
}

test('every page is what the oracle says, after any calls', async t => {
  const steps = fc.array(step, { maxLength: 80, size: 'max' })
  const property = fc.asyncProperty(settings, steps, async (limits, calls) => {
    const { world, model } = await start(t, limits)
    for (const call of calls) await model.run(call)
    await model.walkAll(3)
    await world.buildAsked()
    await model.walkAll(1)
    await world.buildAsked()
    await model.walkAll(5)
  })
  await fc.assert(property, { numRuns: 150 })
})
