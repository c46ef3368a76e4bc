// Whatever comes to a list in whatever order, a page of it is exact; and the rules that make it so are needed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import * as rules from './arrival-list.ts'
import { buildEntry, floorEntry, idOf, isLate, lateEntry } from './entry.ts'
import { LATE_MS, WINDOW_MS } from './limits.ts'
import { BEGINNING, END, makePostId, type PostId, shiftId, timeOf } from './post-id.ts'

const START_MS = 1_760_000_000_000
const CLOCKS_MS = 2500

type Rules = Pick<typeof rules, 'takeFrom' | 'settled' | 'finished' | 'lowestFloorOf'>

interface Step {
  readonly do: 'post' | 'push' | 'repeat' | 'settle' | 'begin' | 'read' | 'finish' | 'take' | 'lowest'
  /** How much time passes before it, in ms. */
  readonly wait: number
  /** Which of the candidates, and how far a new id is off its time. */
  readonly pick: number
  readonly limit: number
  readonly late: boolean
}

interface Plan {
  readonly cap: number
  readonly slack: number
  readonly chunk: number
  readonly steps: readonly Step[]
}

const kinds: Step['do'][] = [
  ...['post', 'post', 'post', 'post', 'push', 'push', 'push', 'push', 'push', 'push'],
  ...['take', 'take', 'take', 'take', 'repeat', 'settle', 'begin', 'read', 'finish', 'lowest']
] as Step['do'][]

const step: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom(...kinds),
  wait: fc.oneof(
    fc.constant(0),
    fc.integer({ min: 0, max: 2000 }),
    fc.integer({ min: 0, max: 20_000 }),
    fc.constantFrom(LATE_MS, WINDOW_MS, 100_000)
  ),
  pick: fc.nat(999),
  limit: fc.constantFrom(1, 2, 3, 7),
  late: fc.boolean()
})

const plan: fc.Arbitrary<Plan> = fc.record({
  cap: fc.constantFrom(2, 3, 5, 10, 20),
  slack: fc.constantFrom(0, 2, 6),
  chunk: fc.constantFrom(1, 2, 3),
  steps: fc.array(step, { minLength: 10, maxLength: 150, size: 'max' })
})

/** One list, the posts of its authors, and what has to be in it. */
class History {
  readonly plan: Plan
  readonly rules: Rules
  now = START_MS
  list: readonly string[] = ['f0']
  posts: PostId[] = []
  pending: PostId[] = []
  /** What reached the list, or lay in the Store when it was built. */
  readonly arrived = new Set<PostId>()
  read: { ids: PostId[]; complete: boolean } | null = null
  token = 0
  checks = 0

  constructor(plan: Plan, rules: Rules) {
    this.plan = plan
    this.rules = rules
  }

  run(): number {
    for (const step of this.plan.steps) {
      this.now += step.wait
      this[step.do](step)
    }
    return this.checks
  }

  /** Ids are never ahead of now by more than clocks differ; some share a ms, some are 1 apart. */
  post({ pick }: Step): void {
    const off = pick % 3 === 0 ? 0 : (pick % (2 * CLOCKS_MS)) - CLOCKS_MS
    const id = makePostId(this.now + off, 5, this.posts.length)
    this.posts.push(id)
    this.pending.push(id)
  }

  push({ pick, late }: Step): void {
    const [id] = this.pending.splice(pick % 4 === 0 ? pick % this.pending.length : 0, 1)
    if (id !== undefined) this.write(id, late && pick % 10 === 0)
  }

  repeat({ pick }: Step): void {
    const id = this.posts.filter(id => !this.pending.includes(id))[pick % this.posts.length]
    if (id !== undefined) this.write(id, false)
  }

  /** LPUSHX and LTRIM. */
  write(id: PostId, late: boolean): void {
    if (this.list.length === 0) return
    const entry = late || this.now - timeOf(id) > LATE_MS ? lateEntry(id) : id
    const grown = [entry, ...this.list]
    this.list = grown.slice(0, rules.keptLength(grown.length, this.plan.cap, this.plan.slack))
    this.arrived.add(id)
  }

  settle(): void {
    this.list = this.rules.settled(this.list, this.plan.cap) ?? this.list
  }

  /** Drops the list and builds it again, so that the build meets pushes. */
  begin({ pick }: Step): void {
    if (pick % 3 > 0 && !rules.isCold(this.list)) return
    this.list = [buildEntry(String(++this.token))]
    this.read = null
    this.arrived.clear()
  }

  read_(): PostId[] {
    return this.posts.toSorted().toReversed()
  }

  finish({ pick }: Step): void {
    if (this.read === null) return
    const token = pick % 9 === 0 ? 'other' : String(this.token)
    const list = this.rules.finished(
      this.list,
      token,
      this.read.ids,
      this.read.complete,
      this.plan.cap
    )
    if (list !== null) this.list = list
    if (list !== null) this.read = null
  }

  take({ pick, limit }: Step): void {
    const below = pick % 3 === 0 ? END : (this.posts[pick % this.posts.length] ?? END)
    const page = this.page(below, limit)
    if (page.state !== 'warm') return
    const above = [...this.arrived].filter(id => id < below && id > page.floor)
    assert.deepEqual(page.ids, above.sort().reverse().slice(0, limit))
    this.checks++
  }

  page(below: PostId, limit: number): rules.ListPage {
    for (let length = this.plan.chunk; ; length += this.plan.chunk) {
      const head = this.list.slice(0, length)
      const read = { head, last: this.list.at(-1), whole: head.length === this.list.length }
      const page = this.rules.takeFrom(read, below, limit)
      if (page !== null) return page
    }
  }

  lowest(): void {}
}
