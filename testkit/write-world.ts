// The write side with its real stages over Feeds and log in memory: posts go through relay, log and fan-out.
import type { TestContext } from 'node:test'
import { createMemoryEventLog } from '../packages/server/src/adapters/memory/event-log.ts'
import { createMemoryFeeds } from '../packages/server/src/adapters/memory/feeds.ts'
import { createMemoryStore } from '../packages/server/src/adapters/memory/store.ts'
import {
  createVirtualClock,
  type VirtualClock
} from '../packages/server/src/adapters/memory/virtual-clock.ts'
import { createPostgresStore } from '../packages/server/src/adapters/postgres/store.ts'
import type { FeedEvent } from '../packages/server/src/domain/event.ts'
import type { Limits } from '../packages/server/src/domain/limits.ts'
import { END, laneOfAuthor, type PostId } from '../packages/server/src/domain/post-id.ts'
import { openFanout } from '../packages/server/src/fanout/open-fanout.ts'
import type { EventHandler, EventLog } from '../packages/server/src/ports/event-log.ts'
import type { Feeds, ListKey } from '../packages/server/src/ports/feeds.ts'
import type { Store } from '../packages/server/src/ports/store.ts'
import type { Telemetry } from '../packages/server/src/ports/telemetry.ts'
import { createPost } from '../packages/server/src/publish/posts.ts'
import { changeRelation, type RelationChange } from '../packages/server/src/publish/relations.ts'
import { createRelay, type Relay } from '../packages/server/src/relay/relay.ts'
import { PageWorld, testLimits } from './page-world.ts'
import { patch } from './patch.ts'
import { testDatabase } from './postgres.ts'

/** Sums what was counted, by name. */
export class CountingTelemetry implements Telemetry {
  readonly counts = new Map<string, number>()
  log(): void {}
  gauge(): void {}
  observe(): void {}
  count(name: string, by = 1): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + by)
  }
}

interface Parts {
  readonly store: Store
  readonly clock: VirtualClock
  readonly limits: Limits
}

/** Each test gets its own; `faults` replaces methods of the ports while it runs. */
export class WriteWorld {
  readonly clock: VirtualClock
  readonly telemetry = new CountingTelemetry()
  readonly worker = 'worker'
  readonly faults: { store: Partial<Store>; feeds: Partial<Feeds>; log: Partial<EventLog> } = {
    store: {},
    feeds: {},
    log: {}
  }
  readonly limits: Limits
  /** Without the faults. */
  readonly plain: { readonly store: Store; readonly feeds: Feeds; readonly log: EventLog }
  readonly store: Store
  readonly feeds: Feeds
  readonly log: EventLog
  readonly pages: PageWorld
  readonly relay: Relay

  constructor({ store: stored, clock, limits }: Parts) {
    const { telemetry, faults } = this
    this.clock = clock
    this.limits = limits
    this.plain = {
      store: stored,
      feeds: createMemoryFeeds({ clock, limits }),
      log: createMemoryEventLog()
    }
    this.store = patch(this.plain.store, faults.store)
    this.feeds = patch(this.plain.feeds, faults.feeds)
    this.log = patch(this.plain.log, faults.log)
    const { store, feeds } = this.plain
    this.pages = new PageWorld({ store, feeds, clock, limits })
    this.relay = createRelay({ store: this.store, log: this.log, clock, telemetry })
  }

  /** A worker's handler of a lane, as the log opens it. */
  readonly open: (lane: number) => EventHandler = openFanout(this)

  users(...ids: readonly string[]): Promise<number[]> {
    return this.pages.users(...ids)
  }

  async post(author: number, content = 'text'): Promise<PostId> {
    const { value } = await createPost(this, { author, content, attrs: {} })
    return value.post.id
  }

  async change(change: RelationChange, reader: number, author: number): Promise<void> {
    await changeRelation(this, change, reader, author)
  }

  /** One batch of events of one author to a fresh handler. */
  async handle(...events: readonly FeedEvent[]): Promise<void> {
    const [first] = events
    const lane = first && 'author' in first ? laneOfAuthor(first.author) : 0
    const logged = events.map((event, index) => ({ id: String(index + 1), lane, event }))
    await this.open(lane).handle(logged)
  }

  /** Until the outbox holds nothing that could be worked off now. */
  async settle(): Promise<void> {
    do await this.relay.idle()
    while ((await this.relay.relayOnce()) > 0)
  }

  /** The ids of a list that is warm, newest first; null when it is not. */
  async warm(list: ListKey): Promise<readonly PostId[] | null> {
    const { state, ids } = await this.feeds.take(list, END, 1000)
    return state === 'warm' ? ids : null
  }

  async deliveryOf(author: number): Promise<string | undefined> {
    const [state] = await this.store.deliveryOf([author])
    return state?.delivery
  }
}

export async function openWriteWorld(
  t: TestContext,
  limits: Partial<Limits> = {},
  kind: 'memory' | 'postgres' = 'memory'
): Promise<WriteWorld> {
  // The database has a clock of its own; this one stands still near it.
  const clock = createVirtualClock(kind === 'memory' ? {} : { start: Date.now() })
  const store =
    kind === 'memory'
      ? createMemoryStore({ clock })
      : await createPostgresStore({ url: await testDatabase(t) })
  const world = new WriteWorld({ store, clock, limits: testLimits(limits) })
  await world.plain.log.consume(world.open)
  t.after(async () => {
    await world.relay[Symbol.asyncDispose]()
    await world.plain.log[Symbol.asyncDispose]()
    await world.plain.feeds[Symbol.asyncDispose]()
    await world.plain.store[Symbol.asyncDispose]()
  })
  return world
}
