import assert from 'node:assert/strict'
import fc from 'fast-check'
import { BEGINNING, boundAt, END, makePostId, type PostId } from '../domain/post-id.ts'
import type { ListKey, Taken } from './feeds.ts'
import type { FeedsUnderTest } from './feeds-fixtures.conformance.ts'

const kinds = [
  ...['post', 'push', 'repeat', 'take', 'settle', 'begin', 'read', 'finish'],
  ...['lowest', 'drop', 'remove', 'wait']
] as const
const weights = [8, 12, 2, 10, 1, 2, 3, 3, 1, 1, 1, 6]

interface Step {
  readonly kind: string
  readonly pick: number
  readonly limit: number
  readonly ms: number
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.oneof(
    ...kinds.map((kind, i) => ({ arbitrary: fc.constant(kind), weight: weights[i]! }))
  ),
  pick: fc.nat(9999),
  limit: fc.constantFrom(1, 2, 3, 7, 50),
  ms: fc.oneof(fc.nat(2000), fc.nat(20_000), fc.constantFrom(15_000, 30_000, 100_000))
})

const newestFirst = (ids: Iterable<PostId>) => [...new Set(ids)].sort().reverse()

/** A list with its authors' posts, next to a set that knows what has to be in it. */
class History<T extends FeedsUnderTest> {
  readonly #subject: T
  readonly #list: ListKey
  readonly #cap: number
  readonly #advance: ((subject: T, ms: number) => Promise<void>) | undefined
  #posts: PostId[] = []
  #pending: PostId[] = []
  /** What was pushed, or was in the Store as the list was built. */
  readonly #arrived = new Set<PostId>()
  #build: { token: string; ids: readonly PostId[] | null } | null = null
  #state: Taken['state'] = 'cold'
  #lowest: PostId = BEGINNING
  #count = 0
  warm = 0
  cooled = 0

  constructor(
    subject: T,
    list: ListKey,
    cap: number,
    advance?: (subject: T, ms: number) => Promise<void>
  ) {
    this.#subject = subject
    this.#list = list
    this.#cap = cap
    this.#advance = advance
  }

  async run(steps: readonly Step[]): Promise<void> {
    const does: Record<string, (step: Step) => Promise<void> | void> = {
      post: step => this.#post(step),
      push: step => this.#push(step),
      repeat: step => this.#repeat(step),
      take: step => this.#take(step),
      settle: () => this.#subject.feeds.settle(this.#list),
      begin: () => this.#begin(),
      read: () => this.#read(),
      finish: () => this.#finish(),
      lowest: () => this.#lowestFloor(),
      drop: step => this.#drop(step),
      remove: step => this.#remove(step),
      wait: step => this.#advance?.(this.#subject, step.ms)
    }
    for (const kind of ['begin', 'read', 'finish']) await does[kind]?.(steps[0]!)
    for (const step of steps) await does[step.kind]?.(step)
  }

  /** Now, a little ago, or long ago (imported); some differ by 1. */
  #post({ pick }: Step): void {
    const age = [0, 0, 500, 8000, 60_000, 3_600_000][pick % 6]!
    const id = makePostId(this.#subject.clock.now() - age, 7, ++this.#count)
    this.#posts.push(id)
    this.#pending.push(id)
  }

  async #push({ pick }: Step): Promise<void> {
    const at = pick % 4 === 0 ? pick % Math.max(1, this.#pending.length) : 0
    for (const id of this.#pending.splice(at, 1)) await this.#write(id, pick % 10 === 0)
  }

  async #repeat({ pick }: Step): Promise<void> {
    const pushed = this.#posts.filter(id => !this.#pending.includes(id))
    const id = pushed[pick % Math.max(1, pushed.length)]
    if (id !== undefined) await this.#write(id, pick % 10 === 0)
  }

  async #write(id: PostId, late: boolean): Promise<void> {
    const push = { list: this.#list, id, ...(late && { late }) } as const
    await this.#subject.feeds.push([push])
    this.#arrived.add(id)
  }

  async #begin(): Promise<void> {
    const token = String(++this.#count)
    const begun = await this.#subject.feeds.begin(this.#list, token)
    if (this.#state === 'warm' && begun) this.cooled++
    if (!begun) return
    // A build may bring a post back that was deleted after its read; the next one does not.
    for (const id of this.#arrived) if (!this.#posts.includes(id)) this.#arrived.delete(id)
    this.#build = { token, ids: null }
    this.#state = 'building'
    this.#lowest = BEGINNING
  }

  #read(): void {
    if (this.#build) this.#build.ids = newestFirst(this.#posts).slice(0, this.#cap + 1)
  }

  async #finish(): Promise<void> {
    const { token, ids } = this.#build ?? {}
    if (!token || !ids) return
    const complete = ids.length <= this.#cap
    if (!(await this.#subject.feeds.finish(this.#list, token, ids, complete))) return
    for (const id of ids) this.#arrived.add(id)
    this.#build = null
    this.#state = 'warm'
  }

  async #drop({ pick }: Step): Promise<void> {
    if (pick % 3 > 0) return
    await this.#subject.feeds.drop([this.#list])
    this.#state = 'cold'
  }

  /** A deleted post: gone from the Store, then from the list. */
  async #remove({ pick }: Step): Promise<void> {
    const id = this.#posts[pick % Math.max(1, this.#posts.length)]
    if (id === undefined || this.#pending.includes(id)) return
    this.#posts = this.#posts.filter(post => post !== id)
    await this.#subject.feeds.remove(this.#list, [id])
    this.#arrived.delete(id)
  }

  /** No floor comes to lie below it, but where only posts yet to come lie. */
  async #lowestFloor(): Promise<void> {
    const lowest = await this.#subject.feeds.lowestFloor(this.#list)
    if (lowest === null) return
    const bounds = [lowest, boundAt(this.#subject.clock.now())]
    this.#lowest = bounds.sort()[0]!
  }

  async #take({ pick, limit }: Step): Promise<void> {
    const below = (pick % 3 > 0 && this.#posts[pick % this.#posts.length]) || END
    const { state, ids, floor } = await this.#subject.feeds.take(this.#list, below, limit)
    if (state === 'cold' && this.#state === 'warm') this.cooled++
    if (state !== 'warm') return assert.deepEqual(ids, [])
    const want = newestFirst(this.#arrived).filter(id => id < below && id > floor)
    assert.deepEqual(ids, want.slice(0, limit))
    if (ids.length < limit) assert.ok(floor >= this.#lowest, 'the floor fell')
    this.warm++
  }
}

/** Takes never miss an id above the floor, repeat one or invent one, in whatever order things happen. */
export async function everyTakeIsExact<T extends FeedsUnderTest>(
  subject: T,
  cap: number,
  advance?: (subject: T, ms: number) => Promise<void>
): Promise<void> {
  let run = 0
  let [warm, cooled] = [0, 0]
  const steps = fc.array(step, { minLength: 1, maxLength: 120, size: 'max' })
  await fc.assert(
    fc.asyncProperty(steps, async steps => {
      const history = new History(subject, `feed:${1000 + ++run}`, cap, advance)
      await history.run(steps)
      warm += history.warm
      cooled += history.cooled
    }),
    { numRuns: 300 }
  )
  assert.ok(warm > 5 * cooled && warm > 200, `${warm} takes were warm, ${cooled} lists went cold`)
}
