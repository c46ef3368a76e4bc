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

const USERS = ['u0', 'u1', 'u2', 'u3']

const user = fc.nat(USERS.length - 1)
const post = fc.nat(50)
const CHANGES = ['follow', 'follow', 'follow', 'unfollow', 'unfollow', 'block', 'unblock'] as const
const change = fc.constantFrom<RelationChange[]>(...CHANGES, 'mute', 'unmute')
const kind = fc.constantFrom('feed' as const, 'timeline' as const)
const age = fc.constantFrom(0, 20, 60, 4000)
const ms = fc.constantFrom(10, 2000, 20_000, 120_000)

function step<K extends string, T extends object>(
  weight: number,
  name: K,
  fields: { [F in keyof T]: fc.Arbitrary<T[F]> }
) {
  const arbitrary = fc.record(fields).map(values => ({ do: name, ...values }))
  return { weight, arbitrary }
}

const anyStep = fc.oneof(
  step(6, 'post', { user }),
  step(6, 'relate', { change, user, other: user }),
  step(1, 'delete', { post }),
  step(1, 'hide', { user, post }),
  step(2, 'import', { user, age }),
  step(2, 'suspend', { user }),
  step(4, 'build', { user, kind }),
  step(2, 'evict', { user, kind }),
  step(1, 'fail', { times: fc.integer({ min: 1, max: 4 }) }),
  step(4, 'settle', {}),
  step(3, 'read', {}),
  step(4, 'switch', { grace: fc.boolean() }),
  step(2, 'wait', { ms })
)
type Step = typeof anyStep extends fc.Arbitrary<infer T> ? T : never

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
    if (step.do === 'evict')
      return world.plain.feeds.drop([`${step.kind}:${this.#user(step.user)}`])
    if (step.do === 'read') return this.read()
    if (step.do === 'fail') return this.#fail(step.times)
    if (step.do === 'settle') return world.settle()
    if (step.do === 'switch') return this.#switch(step.grace)
    if (step.do === 'wait') return this.#wait(step.ms)
    if (step.do === 'import') return this.#import(step.user, step.age)
    if (step.do === 'suspend') return this.#suspend(this.#user(step.user))
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
      return this.world.plain.feeds.push(pushes)
    }
  }

  async #suspend(number: number): Promise<void> {
    const [found] = await this.world.store.usersByNumbers([number])
    await setStatus(this.world, number, found?.status === 'active' ? 'suspended' : 'active')
  }

  async #switch(grace: boolean): Promise<void> {
    await this.world.store.flushCounts(1000)
    await policyOnce(this.world)
    await this.#switches.confirmOnce()
    if (!grace) return
    await this.world.clock.advance(this.world.limits.graceMs)
    await this.#switches.confirmOnce()
  }

  /** Nothing forbidden is ever shown; when all events are worked off, nothing is missing either. */
  async read(): Promise<void> {
    const { store, pages } = this.world
    const quiet = (await store.outboxPending()) === 0
    for (const reader of this.users) {
      const oracle = await store.oracle(reader, END, 1000)
      const walk = await pages.walk(reader, 3)
      const seen = new Set(walk)
      const expected = quiet ? oracle : oracle.filter(id => seen.has(id))
      assert.deepEqual(walk, expected, `reader ${reader}`)
    }
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

test('after any history every walk equals the oracle, cold, warm and rebuilt', async t => {
  const histories = fc.array(anyStep, { minLength: 5, maxLength: 60, size: 'max' })
  const limits = fc.record({
    cap: fc.constantFrom(3, 6, 20),
    slack: fc.constantFrom(0, 2),
    threshold: fc.constantFrom(2, 3)
  })
  await fc.assert(
    fc.asyncProperty(histories, limits, async (steps, sizes) => {
      const world = await openWriteWorld(t, { ...sizes, slice: 2, cutMs: 60_000 })
      const users = await world.users(...USERS)
      for (const reader of users) await world.pages.build(`feed:${reader}`)
      const history = new History(world, users)
      for (const step of steps) await history.run(step)
      await history.rest()
      await history.read()
      for (const reader of users) await world.pages.build(`feed:${reader}`)
      await history.read()
    }),
    { numRuns: 300 }
  )
})
