// Readers' lists next to what has to be in them, while pushes, builds and takes go on and things break.
import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { END, makePostId, type PostId } from '../packages/server/src/domain/post-id.ts'
import type { Feeds, ListKey, Taken } from '../packages/server/src/ports/feeds.ts'

const SHARD = 7
/** More than any list has: a take that stops at its limit has no floor. */
const ALL = 100_000

interface Held {
  readonly list: ListKey
  /** What the Store has, newest first. */
  readonly posts: PostId[]
  /** Pushed, and the push was answered. */
  readonly arrived: Set<PostId>
}

/** What one fleet does with some lists, and what it has to see. */
export class FeedsModel {
  readonly #feeds: readonly Feeds[]
  readonly #held: readonly Held[]
  readonly #cap: number
  #seq = 0
  #stopped = false
  rejected = 0
  warm = 0
  readonly faults: string[] = []

  constructor(feeds: readonly Feeds[], lists: readonly ListKey[], cap: number) {
    this.#feeds = feeds
    this.#held = lists.map(list => ({ list, posts: [], arrived: new Set() }))
    this.#cap = cap
  }

  /** Posts, builds and reads until `stop`. */
  async run(): Promise<void> {
    const poster = (feeds: Feeds, nth: number) => this.#repeat(() => this.#post(feeds, nth))
    const builder = (feeds: Feeds) => this.#repeat(() => this.#build(feeds, this.#any()))
    const reader = (feeds: Feeds) => this.#repeat(() => this.#read(feeds, this.#any()))
    const settler = (feeds: Feeds) => this.#repeat(() => feeds.settle(this.#any().list))
    const works = [poster, builder, reader, settler]
    await Promise.all(this.#feeds.flatMap((feeds, nth) => works.map(work => work(feeds, nth))))
  }

  stop(): void {
    this.#stopped = true
  }

  /** Every warm list has all that is above its floor; what is cold can be built. */
  async check(): Promise<void> {
    const [feeds] = this.#feeds
    assert.ok(feeds)
    for (const { list, posts } of this.#held) {
      const taken: Taken = await feeds.take(list, END, ALL)
      if (taken.state !== 'warm') continue
      this.warm++
      const want: readonly PostId[] = posts.filter(id => id > taken.floor)
      assert.deepEqual(taken.ids, want, list)
    }
    assert.deepEqual(this.faults, [])
  }

  #any(): Held {
    return this.#held[Math.floor(Math.random() * this.#held.length)] as Held
  }

  async #repeat(work: () => Promise<unknown>): Promise<void> {
    while (!this.#stopped) {
      await work().catch(() => this.rejected++)
      await wait(Math.random() * 5)
    }
  }

  /** In the Store first; then pushed until that is answered, as a worker does that has to commit. */
  async #post(feeds: Feeds, nth: number): Promise<void> {
    const mine = this.#held.filter((_, i) => i % 2 === nth % 2 || Math.random() < 0.1)
    const id = makePostId(Date.now(), SHARD, this.#seq++ % 4096)
    for (const { posts } of mine) insert(posts, id)
    const pushes = mine.map(({ list }) => ({ list, id }))
    await untilDone(
      () => feeds.push(pushes),
      () => this.rejected++
    )
    for (const { arrived } of mine) arrived.add(id)
  }

  async #build(feeds: Feeds, { list, posts }: Held): Promise<void> {
    if ((await feeds.take(list, END, 1)).state !== 'cold') return
    const token = String(Math.random())
    if (!(await feeds.begin(list, token))) return
    const ids = posts.slice(0, this.#cap + 1)
    await feeds.finish(list, token, ids, ids.length <= this.#cap)
  }

  /** What had arrived before the take began is in it. */
  async #read(feeds: Feeds, { list, arrived }: Held): Promise<void> {
    const before = [...arrived]
    const { state, ids, floor } = await feeds.take(list, END, ALL)
    if (state !== 'warm') return
    const found = new Set(ids)
    const missing = before.filter(id => id > floor && !found.has(id))
    if (missing.length > 0) this.faults.push(`${list} lacks ${missing.length}`)
  }
}

function insert(posts: PostId[], id: PostId): void {
  const place = posts.findIndex(other => other < id)
  posts.splice(place < 0 ? posts.length : place, 0, id)
}

async function untilDone(work: () => Promise<unknown>, onError: () => void): Promise<void> {
  for (;;) {
    try {
      await work()
      return
    } catch {
      onError()
      await wait(20)
    }
  }
}
