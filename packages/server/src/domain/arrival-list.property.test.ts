// Whatever comes to a list in whatever order, a page of it is exact; and each rule that makes it so is needed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import * as exact from './arrival-list.ts'
import { buildEntry, floorEntry, idOf, isBuild, isFloor, isLate, lateEntry } from './entry.ts'
import { LATE_MS, WINDOW_MS } from './limits.ts'
import { BEGINNING, boundAt, END, makePostId, type PostId, timeOf } from './post-id.ts'

const START_MS = 1_760_000_000_000
const AHEAD_MS = 2500

/** What a list is read and written by; a mutant has one of them wrong. */
type Rules = Pick<typeof exact, 'takeFrom' | 'settled' | 'finished' | 'lowestFloorOf'> & {
  writtenLate(ageMs: number): boolean
}
const right: Rules = { ...exact, writtenLate: ageMs => ageMs > LATE_MS }

const kinds = [
  'post',
  'push',
  'repeat',
  'take',
  'settle',
  'begin',
  'read',
  'finish',
  'lowest'
] as const

interface Step {
  readonly kind: (typeof kinds)[number]
  /** Time that passes before it. */
  readonly waitMs: number
  /** Chooses among the candidates. */
  readonly pick: number
  readonly limit: number
}

interface Plan {
  readonly cap: number
  readonly slack: number
  readonly chunk: number
  readonly steps: readonly Step[]
}

const weights = [8, 12, 2, 8, 1, 1, 2, 2, 1]

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.oneof(
    ...kinds.map((kind, i) => ({ arbitrary: fc.constant(kind), weight: weights[i]! }))
  ),
  waitMs: fc.oneof(
    fc.constant(0),
    fc.integer({ min: 0, max: 2000 }),
    fc.integer({ min: 0, max: 20_000 }),
    fc.constantFrom(LATE_MS, WINDOW_MS, 100_000)
  ),
  pick: fc.nat(9999),
  limit: fc.constantFrom(1, 2, 3, 7)
})

const plan: fc.Arbitrary<Plan> = fc.record({
  cap: fc.constantFrom(2, 3, 5, 10, 20),
  slack: fc.constantFrom(0, 2, 6),
  chunk: fc.constantFrom(1, 2, 3),
  steps: fc.array(step, { minLength: 1, maxLength: 150, size: 'max' })
})

const newestFirst = (ids: Iterable<PostId>) => [...new Set(ids)].sort().reverse()

/** One list, the posts that it is about, and what has to be in it. */
class History {
  readonly #plan: Plan
  readonly #rules: Rules
  #now = START_MS
  #list: readonly string[] = ['f0']
  readonly #posts: PostId[] = []
  readonly #pending: PostId[] = []
  readonly #builds: { token: string; ids: PostId[] | null }[] = []
  /** What reached the list since it began, or stood in the Store then. */
  #arrived = new Set<PostId>()
  #atBegin: readonly PostId[] = []
  #lowest = BEGINNING
  pages = 0

  constructor(plan: Plan, rules: Rules) {
    this.#plan = plan
    this.#rules = rules
  }

  run(): number {
    for (const step of this.#plan.steps) {
      this.#now += step.waitMs
      this[step.kind](step)
    }
    return this.pages
  }

  /** Ids follow the time by what clocks differ; the next may be 1 away. */
  post({ pick }: Step): void {
    const off = pick % 2 === 0 ? 0 : (pick % (2 * AHEAD_MS)) - AHEAD_MS
    const id = makePostId(this.#now + off, 5, this.#posts.length)
    this.#posts.push(id)
    this.#pending.push(id)
  }

  /** Mostly in order, sometimes long after others. */
  push({ pick }: Step): void {
    const at = pick % 4 === 0 ? pick % Math.max(1, this.#pending.length) : 0
    for (const id of this.#pending.splice(at, 1)) this.#write(id, pick % 10 === 0)
  }

  repeat({ pick }: Step): void {
    const pushed = this.#posts.filter(id => !this.#pending.includes(id))
    const id = pushed[pick % Math.max(1, pushed.length)]
    if (id !== undefined) this.#write(id, pick % 10 === 0)
  }

  #write(id: PostId, late: boolean): void {
    if (this.#list.length === 0) return
    const entry = late || this.#rules.writtenLate(this.#now - timeOf(id)) ? lateEntry(id) : id
    const grown = [entry, ...this.#list]
    this.#list = grown.slice(0, exact.keptLength(grown.length, this.#plan.cap, this.#plan.slack))
    this.#arrived.add(id)
  }

  settle(): void {
    this.#list = this.#rules.settled(this.#list, this.#plan.cap) ?? this.#list
  }

  /** A list that went and is built again. Its pushes are complete only from here on. */
  begin(): void {
    const token = String(this.#builds.length)
    this.#builds.push({ token, ids: null })
    this.#list = [buildEntry(token)]
    this.#arrived = new Set()
    this.#atBegin = this.#posts.filter(id => !this.#pending.includes(id))
    this.#lowest = BEGINNING
  }

  read(): void {
    const build = this.#builds.at(-1)
    if (build) build.ids = newestFirst(this.#posts).slice(0, this.#plan.cap + 1)
  }

  /** Mostly the last build; an earlier one comes too late. */
  finish({ pick }: Step): void {
    const build = this.#builds.at(pick % 3 === 0 ? -2 : -1)
    if (!build?.ids) return
    const { cap } = this.#plan
    const complete = build.ids.length <= cap
    const list = this.#rules.finished(this.#list, build.token, build.ids, complete, cap)
    if (list === null) return
    this.#list = list
    for (const id of [...this.#atBegin, ...build.ids]) this.#arrived.add(id)
  }

  take({ pick, limit }: Step): void {
    const below = (pick % 3 > 0 && this.#posts[pick % this.#posts.length]) || END
    const page = this.#page(below, limit)
    if (page.state !== 'warm') return
    const want = newestFirst(this.#arrived).filter(id => id < below && id > page.floor)
    assert.deepEqual(page.ids, want.slice(0, limit))
    if (page.ids.length < limit) assert.ok(page.floor >= this.#lowest, 'the floor fell')
    this.pages++
  }

  #page(below: PostId, limit: number): exact.ListPage {
    for (let length = this.#plan.chunk; ; length += this.#plan.chunk) {
      const head = this.#list.slice(0, length)
      const read = { head, last: this.#list.at(-1), whole: head.length === this.#list.length }
      const page = this.#rules.takeFrom(read, below, limit)
      if (page !== null) return page
    }
  }

  /** Nothing but posts yet to come may move a floor below what is said now. */
  lowest(): void {
    const lowest = this.#rules.lowestFloorOf(this.#list)
    if (lowest !== null) this.#lowest = [lowest, boundAt(this.#now)].sort()[0]!
  }
}

let pages = 0
const property = (rules: Rules) =>
  fc.property(plan, plan => {
    pages += new History(plan, rules).run()
  })

test('every page is exact', () => {
  fc.assert(property(right), { numRuns: 10_000 })
  assert.ok(pages > 50_000, `only ${pages} pages were warm`)
})

const oldestOf = (entries: readonly string[]) =>
  entries.filter(entry => !isLate(entry) && !isFloor(entry)).sort()[0]

/** That `lowestFloorOf` looks beyond the marker is too rare a need for chance: it has a test of its own. */
const mutants: Record<string, Partial<Rules>> = {
  'a short read stops without W': {
    takeFrom(read, below, limit) {
      if (read.whole || isBuild(read.last!)) return exact.takeFrom(read, below, limit)
      const head = [...read.head, isFloor(read.last!) ? read.last! : floorEntry(BEGINNING)]
      const page = exact.takeFrom({ head, last: head.at(-1), whole: true }, below, limit)
      const end = page?.ids[limit - 1]
      return end !== undefined && end > (oldestOf(read.head) ?? END) ? page : null
    }
  },
  'the floor without a marker is the oldest in-time id': {
    takeFrom(read, below, limit) {
      const oldest = oldestOf(read.head)
      if (!read.whole || !oldest || isFloor(read.last!) || isBuild(read.last!))
        return exact.takeFrom(read, below, limit)
      const head = [...read.head, floorEntry(oldest)]
      return exact.takeFrom({ head, last: head.at(-1), whole: true }, below, limit)
    }
  },
  'settle keeps what is at or below the floor': {
    settled(entries, cap) {
      const list = exact.settled(entries, cap)
      if (list === null) return null
      const ids = newestFirst(entries.filter(entry => !isFloor(entry)).map(idOf))
      return [...ids.slice(0, cap), list.at(-1)!]
    }
  },
  'settle forgets the floor': {
    settled: (entries, cap) => exact.settled(entries, cap)?.with(-1, floorEntry(BEGINNING)) ?? null
  },
  'nothing is late': { writtenLate: () => false },
  'a build forgets what was pushed meanwhile': {
    finished: (entries, ...rest) => exact.finished(entries.slice(-1), ...rest)
  },
  'a build ends with any token': {
    finished: (entries, _, ...rest) =>
      isBuild(entries.at(-1) ?? '')
        ? exact.finished(entries, entries.at(-1)!.slice(1), ...rest)
        : null
  },
  'a build of more than the cap says that it is complete': {
    finished: (...args) => exact.finished(...args)?.with(-1, floorEntry(BEGINNING)) ?? null
  }
}

for (const [name, wrong] of Object.entries(mutants)) {
  test(`caught: ${name}`, () => {
    const check = property({ ...right, ...wrong })
    const { errorInstance, numRuns } = fc.check(check, { numRuns: 20_000, endOnFailure: true })
    assert.ok(errorInstance instanceof assert.AssertionError, `${numRuns} runs: ${errorInstance}`)
  })
}
