import type { Page, Post } from '@fanwise/sdk'
import { createMemoryStore } from '../packages/server/src/adapters/memory/store.ts'
import { CursorCodec } from '../packages/server/src/domain/cursor.ts'
import { Problem } from '../packages/server/src/domain/errors.ts'
import type { LoggedEvent } from '../packages/server/src/domain/event.ts'
import { isTransient } from '../packages/server/src/domain/is-transient.ts'
import type { Limits } from '../packages/server/src/domain/limits.ts'
import type { PostId } from '../packages/server/src/domain/post-id.ts'
import type { Feed } from '../packages/server/src/feed.ts'
import type { Store } from '../packages/server/src/ports/store.ts'
import { Broker } from './broker.ts'
import { Chance } from './chance.ts'
import { FeedsServer } from './feeds-server.ts'
import { Ledger, type PostRecord } from './ledger.ts'
import { START_MS } from './machine.ts'
import { FAIR, Network } from './network.ts'
import { Scheduler } from './scheduler.ts'
import { SECRET, Server, type Shared } from './server.ts'
import { changedLimits, type Setting } from './setting.ts'
import type { Texts } from './texts.ts'
import { Violation } from './violation.ts'

/** How a request ended: with an answer, with a refusal, or nobody knows. */
export type Outcome<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'refused' | 'lost' }

export type Trace = (line: string) => void

/** A fleet of servers with their Store, Feeds and log, all in memory and in virtual time. */
export class World {
  readonly scheduler = new Scheduler()
  readonly chance: Chance
  readonly network: Network
  readonly setting: Setting
  readonly store: Store
  readonly feeds: FeedsServer
  readonly broker: Broker | null
  readonly servers: readonly Server[]
  readonly ledger = new Ledger()
  /** Numbers of users and their ids. */
  readonly users = new Map<number, string>()
  /** Users who have left, or may have. */
  readonly gone = new Set<number>()
  readonly texts = new Map<PostId, Texts>()
  readonly cursors = new CursorCodec(SECRET)
  readonly trace: Trace
  /** Found while it was going on; the run ends with it. */
  violation: Violation | null = null
  /** Writes at work in each server; owed: other servers do not know of them yet. */
  readonly writing = new Map<Server, Set<{ owed: boolean }>>()
  /** Requests on their way. */
  requests = 0
  storeOffset = 0
  calm = true

  constructor(seed: number, setting: Setting, trace: Trace) {
    this.chance = new Chance(seed ^ 0x61c88647)
    this.setting = setting
    this.trace = trace
    this.network = new Network(this.scheduler, this.chance)
    const { scheduler, network } = this
    const clock = {
      now: () => Math.floor(START_MS + scheduler.now + this.storeOffset),
      monotonic: () => scheduler.now,
      random: this.chance.next,
      sleep: (ms: number) => new Promise<void>(resolve => scheduler.after(ms, resolve))
    }
    this.store = createMemoryStore({ clock, commitDelay: () => network.commitDelay() })
    this.feeds = new FeedsServer(scheduler, setting.limits, this.chance.between(-2000, 2000))
    this.broker = setting.partitions === 0 ? null : new Broker(network, setting.partitions)
    this.servers = this.#makeServers()
  }

  #makeServers(): Server[] {
    const shared: Shared = {
      network: this.network,
      store: this.store,
      feeds: this.feeds,
      broker: this.broker,
      limits: () => this.#limits(),
      onHandled: events => this.#handled(events),
      onLog: (server, level, message, fields) => {
        if (fields.effect === 'own_push' || fields.effect === 'announce') this.#owe(server)
        if (level === 'error') this.fail('an error was logged', `${message} ${fields.error}`)
        if (level !== 'debug') this.trace(`  ${server.name} ${message} ${fields.error ?? ''}`)
      }
    }
    const all = ['api', 'relay', 'fanout', 'janitor'] as const
    if (this.broker === null) return ['a', 'b'].map(name => new Server(name, all, shared))
    return [
      new Server('a', ['api', 'relay', 'janitor'], shared),
      new Server('b', ['api', 'relay'], shared),
      new Server('v', ['fanout'], shared),
      new Server('w', ['fanout', 'janitor'], shared)
    ]
  }

  /** An operator may change them: the next process to start has others. */
  #limits(): Limits {
    const { limits, changing } = this.setting
    return changing ? { ...limits, ...changedLimits(this.chance) } : limits
  }

  get now(): number {
    return this.scheduler.now
  }

  fail(rule: string, found: unknown): void {
    this.violation ??= new Violation(rule, found)
  }

  say(line: string): void {
    this.trace(`${(this.now / 1000).toFixed(3).padStart(9)} ${line}`)
  }

  pause(ms: number): Promise<void> {
    return new Promise(resolve => this.scheduler.after(ms, resolve))
  }

  /** Lets time go by. @throws Violation */
  async run(ms: number, done: () => boolean = () => false): Promise<void> {
    await this.scheduler.run(this.now + ms, () => this.violation !== null || done())
    if (this.violation !== null) throw this.violation
  }

  /** A server that answers requests, if one is up. */
  api(chance: Chance): Server | null {
    const up = this.servers.filter(({ roles, feed }) => roles.includes('api') && feed !== null)
    return up.length === 0 ? null : chance.pick(up)
  }

  /** Sends a request; its server may die meanwhile. What is no Problem is a defect. */
  async request<T>(server: Server, act: (feed: Feed) => Promise<T>): Promise<Outcome<T>> {
    const { machine, feed } = server
    if (machine === null || feed === null) return { kind: 'lost' }
    this.requests++
    try {
      const died = machine.died.then((): Outcome<T> => ({ kind: 'lost' }))
      const done = act(feed).then((value): Outcome<T> => ({ kind: 'done', value }))
      return await Promise.race([done, died])
    } catch (error) {
      if (!(error instanceof Problem)) this.fail('a request failed', String(error))
      return { kind: isTransient(error) ? 'lost' : 'refused' }
    } finally {
      this.requests--
    }
  }

  record(id: PostId, author: number): PostRecord {
    const found = this.ledger.posts.get(id)
    if (found !== undefined) return found
    const never = Number.POSITIVE_INFINITY
    const made = { id, author, acked: never, delivered: never, owed: false }
    this.ledger.posts.set(id, made)
    return made
  }

  numberOf(id: string): number {
    for (const [number, name] of this.users) if (name === id) return number
    throw new Error(`no user ${id}`)
  }

  /** Users who can still read. */
  readers(): number[] {
    return [...this.users.keys()].filter(user => !this.gone.has(user))
  }

  /** Where a page ends; where its walk does when it is the last one. */
  endOf(page: Page<Post>, reader: number, last: PostId): PostId {
    if (page.nextCursor === null) return last
    return this.cursors.decodeWalk(page.nextCursor, { list: 'home', reader, owner: reader }).last
  }

  /** Whether every event is worked off. */
  async isQuiet(): Promise<boolean> {
    if ((await this.store.outboxPending()) > 0 || (this.broker?.pending() ?? 0) > 0) return false
    for (const server of this.servers) if ((await server.pending()) > 0) return false
    return true
  }

  /** Ends all faults and heals what is broken. */
  heal(): void {
    this.calm = true
    this.network.weather = FAIR
    for (const server of this.servers) {
      if (server.machine === null) server.start()
      server.machine?.recover()
    }
    this.feeds.thaw(end => this.chance.below(end))
  }

  #handled(events: readonly LoggedEvent[]): void {
    for (const { event } of events) {
      if (event.type !== 'post') continue
      const record = this.record(event.post, event.author)
      record.delivered = Math.min(record.delivered, this.now)
    }
    this.say(`done ${events.map(({ event }) => JSON.stringify(event)).join(' ')}`)
  }

  /** What a server could not do at once is left to the worker. */
  #owe(server: Server): void {
    for (const write of this.writing.get(server) ?? []) write.owed = true
  }
}
