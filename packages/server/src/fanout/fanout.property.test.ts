// Any history of writes through the real stages, with restarts, failures and evictions: every walk equals the oracle.
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { openWriteWorld, type WriteWorld } from '../../../../testkit/write-world.ts'
import { Problem } from '../domain/errors.ts'
import { END, type PostId } from '../domain/post-id.ts'
import { cleanCuts } from '../janitor/clean-cuts.ts'
import { importBatch } from '../publish/import-batch.ts'
import { deletePost } from '../publish/posts.ts'
import { changeHide, type RelationChange } from '../publish/relations.ts'
import { setStatus } from '../publish/users.ts'
import { policyOnce } from './policy.ts'
import { createSwitches } from './switches.ts'

const USERS = ['u0', 'u1', 'u2', 'u3', 'u4']

const user = fc.nat(USERS.length - 1)
const relation = fc.constantFrom<RelationChange[]>(
  ...(['follow', 'follow', 'follow', 'unfollow', 'block', 'unblock', 'mute', 'unmute'] as const)
)
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('post' as const), user }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('relate' as const),
      change: relation,
      user,
      other: user
    })
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), post: fc.nat(50) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('hide' as const), user, post: fc.nat(50) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('import' as const),
      user,
      age: fc.constantFrom(0, 20, 60, 4000)
    })
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('suspend' as const), user, on: fc.boolean() })
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('build' as const),
      user,
      kind: fc.constantFrom('feed' as const, 'timeline' as const)
    })
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('evict' as const), user }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('fail' as const),
      times: fc.integer({ min: 1, max: 4 })
    })
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('settle' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('switch' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(10, 2000, 20_000, 3_600_000)
    })
  }
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

class History {
  readonly world: WriteWorld
  readonly users: readonly number[]
  readonly posts: { readonly author: number; readonly id: PostId }[] = []
  readonly #switches

  constructor(world: WriteWorld, users: readonly number[]) {
    this.world = world
    this.users = users
    this.#switches = createSwitches(world)
  }

  #user(index: number): number {
    return this.users[index] as number
  }

  async run(step: Step): Promise<void> {
    try {
      await this.#run(step)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
    }
  }

  async #run(step: Step): Promise<unknown> {
    const { world } = this
    if (step.do === 'post') return this.#post(this.#user(step.user))
    if (step.do === 'relate')
      return world.change(step.change, this.#user(step.user), this.#user(step.other))
    if (step.do === 'build') return world.pages.build(`${step.kind}:${this.#user(step.user)}`)
    if (step.do === 'evict') return world.plain.feeds.drop([`feed:${this.#user(step.user)}`])
    if (step.do === 'fail') return this.#fail(step.times)
    if (step.do === 'settle') return world.settle()
    if (step.do === 'switch') return this.#switch()
    if (step.do === 'wait') return this.#wait(step.ms)
    if (step.do === 'import') return this.#import(step.user, step.age)
    if (step.do === 'suspend')
      return setStatus(world, this.#user(step.user), step.on ? 'suspended' : 'active')
    const post = this.posts[step.post % Math.max(this.posts.length, 1)]
    if (post === undefined) return
    if (step.do === 'delete') return deletePost(world, post.author, post.id)
    return changeHide(world, 'hide', this.#user(step.user), post.id)
  }

  async #post(author: number): Promise<void> {
    const id = await this.world.post(author)
    this.posts.push({ author, id })
  }

  async #import(index: number, ageS: number): Promise<void> {
    const author = USERS[index] as string
    const createdAt = this.world.clock.now() - 1000 * ageS
    const { postIds } = await importBatch(this.world, {
      posts: [{ author, content: 'x', createdAt }]
    })
    for (const id of postIds) this.posts.push({ author: this.#user(index), id })
  }

  /** The next pushes are not known to have landed. */
  #fail(times: number): void {
    let left = times
    this.world.faults.feeds.push = async pushes => {
      if (left-- > 0) throw new Problem('unavailable')
      await this.world.plain.feeds.push(pushes)
    }
  }

  async #switch(): Promise<void> {
    await this.world.store.flushCounts(1000)
    await policyOnce(this.world)
    await this.#switches.confirmOnce()
  }

  async #wait(ms: number): Promise<void> {
    await this.world.clock.advance(ms)
    await cleanCuts(this.world, 100)
  }

  /** Waits until failed lanes are tried again, and works everything off. */
  async rest(): Promise<void> {
    const { world } = this
    delete world.faults.feeds.push
    while ((await world.store.outboxPending()) > 0) {
      await world.clock.advance(30_000)
      await world.settle()
    }
    await world.clock.advance(2000)
  }
}

async function walksEqualTheOracle(world: WriteWorld, users: readonly number[]): Promise<void> {
  for (const reader of users) {
    const oracle = await world.store.oracle(reader, END, 1000)
    assert.deepEqual(await world.pages.walk(reader, 3), oracle, `reader ${reader}`)
  }
}

test('after any history every walk equals the oracle, cold, warm and rebuilt', async t => {
  const histories = fc.array(step, { minLength: 5, maxLength: 60, size: 'max' })
  const limits = fc.record({ cap: fc.constantFrom(3, 6, 20), slack: fc.constantFrom(0, 2) })
  await fc.assert(
    fc.asyncProperty(histories, limits, async (steps, { cap, slack }) => {
      const world = await openWriteWorld(t, { cap, slack, threshold: 2, slice: 2, cutMs: 60_000 })
      const users = await world.users(...USERS)
      for (const reader of users) await world.pages.build(`feed:${reader}`)
      const history = new History(world, users)
      for (const step of steps) await history.run(step)
      await history.rest()
      await walksEqualTheOracle(world, users)
      for (const reader of users) await world.pages.build(`feed:${reader}`)
      await walksEqualTheOracle(world, users)
    }),
    { numRuns: 150 }
  )
})
