// Stores and Feeds with a pager on them, and by hand what the other stages do: each step of the protocol is a call.
import type { TestContext } from 'node:test'
import { createMemoryFeeds } from '../packages/server/src/adapters/memory/feeds.ts'
import { createMemoryStore } from '../packages/server/src/adapters/memory/store.ts'
import {
  createVirtualClock,
  type VirtualClock
} from '../packages/server/src/adapters/memory/virtual-clock.ts'
import { createPostgresStore } from '../packages/server/src/adapters/postgres/store.ts'
import {
  BACKLOG_MS,
  type Limits,
  PRESETS,
  WINDOW_MS
} from '../packages/server/src/domain/limits.ts'
import {
  BEGINNING,
  boundAt,
  END,
  type PostId,
  timeOf
} from '../packages/server/src/domain/post-id.ts'
import type { Delivery } from '../packages/server/src/domain/user.ts'
import type { HomeQuery } from '../packages/server/src/page/home.ts'
import { createPager, type Pager } from '../packages/server/src/page/page.ts'
import type { Feeds, ListKey } from '../packages/server/src/ports/feeds.ts'
import type { Store } from '../packages/server/src/ports/store.ts'
import type { Telemetry } from '../packages/server/src/ports/telemetry.ts'
import { testDatabase } from './postgres.ts'

export const SILENT: Telemetry = { log() {}, count() {}, gauge() {}, observe() {} }

const FOLLOWERS_MAX = 10_000
const PAST_MS = 3_000_000
const SPACING_MS = 10_000

/** Both Stores, with Feeds in memory. */
export const WORLDS = ['memory', 'postgres'] as const

export async function openWorld(
  t: TestContext,
  kind: (typeof WORLDS)[number] = 'memory',
  changes: Partial<Limits> = {}
): Promise<PageWorld> {
  const limits = testLimits(changes)
  // The database has a clock of its own; this one stands still near it.
  const clock = createVirtualClock(kind === 'memory' ? {} : { start: Date.now() })
  const store =
    kind === 'memory'
      ? createMemoryStore({ clock })
      : await createPostgresStore({ url: await testDatabase(t) })
  const feeds = createMemoryFeeds({ clock, limits })
  t.after(async () => {
    await feeds[Symbol.asyncDispose]()
    await store[Symbol.asyncDispose]()
  })
  return new PageWorld({ store, feeds, clock, limits })
}

export interface Parts {
  readonly store: Store
  readonly feeds: Feeds
  readonly clock: VirtualClock
  readonly limits: Limits
}

export function testLimits(changes: Partial<Limits> = {}): Limits {
  return { ...PRESETS['activity-feed'], cap: 10, slack: 2, ...changes }
}

export class PageWorld {
  readonly store: Store
  readonly feeds: Feeds
  readonly clock: VirtualClock
  readonly limits: Limits
  readonly pager: Pager
  /** Lists whose build was asked for and not done yet. */
  readonly asked = new Set<ListKey>()
  #tokens = 0
  #pastPosts = 0
  readonly #past: number

  constructor(parts: Parts) {
    this.store = parts.store
    this.feeds = parts.feeds
    this.clock = parts.clock
    this.limits = parts.limits
    this.#past = parts.clock.now() - PAST_MS
    this.pager = createPager({
      ...parts,
      telemetry: SILENT,
      requestBuild: list => this.asked.add(list)
    })
  }

  async users(...ids: readonly string[]): Promise<number[]> {
    const made = await this.store.ensureUsers(ids)
    const numbers = new Map(made.map(user => [user.id, user.number]))
    return ids.map(id => numbers.get(id) as number)
  }

  /** Publishes and answers, as the API does; the fan-out has not seen it yet. */
  async publish(author: number, content = 'text'): Promise<PostId> {
    const { value } = await this.store.publish({ author, content, attrs: {} })
    await this.feeds.push([{ list: `feed:${author}`, id: value.post.id }])
    return value.post.id
  }

  /** Publishes and fans out. */
  async post(author: number, content = 'text'): Promise<PostId> {
    const id = await this.publish(author, content)
    await this.deliver(author, id)
    return id
  }

  /** A post with a time of its own, fanned out as a late one, or by dropping feeds when it is old. */
  async importPost(author: number, createdAt: number, externalId: string | null = null) {
    const [made] = await this.store.importPosts([
      { author, content: 'imported', attrs: {}, createdAt, externalId }
    ])
    const id = made?.id as PostId
    await this.deliver(author, id)
    return id
  }

  /** A post of the last hour, 10 s after the one made so before it: apart from each other even for a real clock. */
  async pastPost(author: number): Promise<PostId> {
    return this.importPost(author, this.#past + SPACING_MS * this.#pastPosts++)
  }

  async deliver(author: number, id: PostId): Promise<void> {
    const [state] = await this.store.deliveryOf([author])
    const followers = await this.store.followerSlice(author, 0, FOLLOWERS_MAX)
    const pushed = state?.delivery === 'pull' ? [] : followers
    const lists: ListKey[] = [`timeline:${author}`, `feed:${author}`]
    for (const reader of pushed) lists.push(`feed:${reader}`)
    if (this.clock.now() - timeOf(id) > BACKLOG_MS) await this.feeds.drop(lists)
    else await this.feeds.push(lists.map(list => ({ list, id })))
  }

  async follow(reader: number, author: number): Promise<void> {
    await this.store.follow(reader, author)
    await this.feeds.dropRules([reader])
    await this.#backfill(reader, author)
  }

  async #backfill(reader: number, author: number): Promise<void> {
    const list: ListKey = `feed:${reader}`
    const [state] = await this.store.deliveryOf([author])
    if (state?.delivery === 'pull') return
    const floor = await this.feeds.lowestFloor(list)
    if (floor === null) return
    const ids = await this.store.idsByAuthor(author, END, floor, this.limits.cap + 1, 'kept')
    if (ids.length > this.limits.cap) await this.feeds.drop([list])
    else await this.feeds.push(ids.toReversed().map(id => ({ list, id, late: true as const })))
  }

  /** Any change of who may see what, voided as the API does it. */
  async rule(
    kind: 'unfollow' | 'block' | 'unblock' | 'mute' | 'unmute',
    reader: number,
    author: number
  ): Promise<void> {
    await this.store[kind](reader, author)
    await this.feeds.dropRules([reader, author])
  }

  async hide(reader: number, id: PostId, on = true): Promise<void> {
    await (on ? this.store.hide(reader, id) : this.store.unhide(reader, id))
    await this.feeds.dropRules([reader])
  }

  async delete(author: number, id: PostId): Promise<void> {
    await this.store.deletePost(author, id)
    await this.feeds.announce({ posts: [id] })
  }

  async suspend(user: number, on = true): Promise<void> {
    await this.store.setStatus(user, on ? 'suspended' : 'active')
    await this.feeds.announce({ users: [user] })
  }

  async wait(ms: number): Promise<void> {
    await this.clock.advance(ms)
  }

  /** A whole switch of delivery, with the followers told in between. */
  async deliverBy(author: number, to: Delivery): Promise<void> {
    const until = to === 'push' ? boundAt(this.clock.now() + WINDOW_MS) : undefined
    for (const step of to === 'pull' ? (['both', 'pull'] as const) : [to]) {
      const [state] = await this.store.deliveryOf([author])
      if (!state || state.delivery === step) continue
      await this.store.switchDelivery(state, step, until)
      await this.feeds.dropRules(await this.store.followerSlice(author, 0, FOLLOWERS_MAX))
    }
  }

  async build(list: ListKey): Promise<boolean> {
    const token = `t${this.#tokens++}`
    if (!(await this.feeds.begin(list, token))) return false
    return this.finish(list, token)
  }

  async finish(list: ListKey, token: string): Promise<boolean> {
    const owner = Number(list.slice(list.indexOf(':') + 1))
    const limit = this.limits.cap + 1
    const ids = list.startsWith('feed:')
      ? await this.store.homeIds(owner, END, limit, 'kept')
      : await this.store.idsByAuthor(owner, END, BEGINNING, limit, 'kept')
    return this.feeds.finish(list, token, ids, ids.length < limit)
  }

  /** Builds what pages asked for. */
  async buildAsked(): Promise<void> {
    const lists = [...this.asked]
    this.asked.clear()
    for (const list of lists) await this.build(list)
  }

  /** Follows the cursor to its end. @throws Error when it does not get on */
  async walk(
    reader: number,
    limit: number,
    from: PostId = END,
    source: HomeQuery['source'] = 'any'
  ): Promise<PostId[]> {
    const ids: PostId[] = []
    let below: PostId | null = from
    while (below !== null) {
      const page = await this.pager.home(reader, { below, limit, source })
      if (page.next !== null && page.next >= below) throw new Error(`stuck at ${below}`)
      ids.push(...page.ids)
      below = page.next
    }
    return ids
  }

  async oracle(reader: number): Promise<PostId[]> {
    return [...(await this.store.oracle(reader, END, 100_000))]
  }
}

/** Posts of a page as the client sees them. */
export function parseItems<T>(items: readonly Uint8Array[]): T[] {
  return items.map(item => JSON.parse(Buffer.from(item).toString()) as T)
}
