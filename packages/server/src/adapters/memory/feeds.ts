import {
  finished,
  isCold,
  type ListPage,
  lowestFloorOf,
  settled
} from '../../domain/arrival-list.ts'
import { buildEntry, type Entry, idOf, isBuild, isFloor, lateEntry } from '../../domain/entry.ts'
import { type FeedsLimits, LATE_MS, lifeMs, MINUTE_MS } from '../../domain/limits.ts'
import { boundAt, type PostId } from '../../domain/post-id.ts'
import type { Rules } from '../../domain/rules.ts'
import type { Clock } from '../../ports/clock.ts'
import type {
  Change,
  Feeds,
  FeedsStats,
  ListKey,
  Push,
  Pushed,
  RulesRead,
  Session,
  SessionPart
} from '../../ports/feeds.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { ExpiringLru } from './feeds/expiring-lru.ts'
import {
  type HeldList,
  headFirst,
  holdList,
  listBytes,
  pushEntry,
  takePage
} from './feeds/held-list.ts'
import { RulesCache } from './feeds/rules-cache.ts'
import { Sessions } from './feeds/sessions.ts'

export interface MemoryFeedsOptions {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  readonly limits: FeedsLimits
  /** For lists and rules together, by estimate. */
  readonly bytesMax?: number
  readonly telemetry?: Pick<Telemetry, 'count'>
}

const BYTES_MAX = 256 * 1024 * 1024
/** Of rules; and of sessions, where there are any. */
const RULES_SHARE = 1 / 8
const SESSION_MS = 30 * MINUTE_MS

/** Feeds that can become old again, as a server does that lost its last writes. */
export interface RestorableFeeds extends Feeds {
  /** Keeps what is held now; calling the answer brings that back. */
  snapshot(): () => void
}

/** Feeds in the memory of one process. Nothing here waits, so each method is atomic. */
export function createMemoryFeeds(options: MemoryFeedsOptions): RestorableFeeds {
  return new MemoryFeeds(options)
}

class MemoryFeeds implements RestorableFeeds {
  readonly #options: MemoryFeedsOptions
  readonly #lists: ExpiringLru<ListKey, HeldList>
  readonly #rules: RulesCache
  readonly #sessions: Sessions
  readonly #listeners: ((change: Change) => void)[] = []
  #epoch: number | undefined

  constructor(options: MemoryFeedsOptions) {
    const { clock, limits, bytesMax = BYTES_MAX } = options
    const sessionsShare = limits.numberedPages === false ? 0 : RULES_SHARE
    const monotonic = () => clock.monotonic()
    this.#options = options
    this.#lists = new ExpiringLru(bytesMax * (1 - RULES_SHARE - sessionsShare), monotonic)
    this.#rules = new RulesCache(bytesMax * RULES_SHARE, monotonic)
    this.#sessions = new Sessions(bytesMax * sessionsShare, monotonic)
  }

  async push(pushes: readonly Push[]): Promise<readonly Pushed[]> {
    const { cap, slack } = this.#options.limits
    const lateBelow = boundAt(this.#options.clock.now() - LATE_MS)
    let id = ''
    let late = ''
    const pushed = pushes.map((push): Pushed => {
      const list = this.#lists.get(push.list)
      if (list === undefined) return 'cold'
      if (push.id !== id) late = lateEntry(push.id)
      id = push.id
      const isLate = push.late || id < lateBelow
      pushEntry(list, isLate ? late : id, cap, slack)
      this.#lists.resize(list, listBytes(list.entries))
      return isLate ? 'late' : 'pushed'
    })
    this.#trim()
    return pushed
  }

  async take(key: ListKey, below: PostId, limit: number): Promise<ListPage> {
    const list = this.#lists.get(key)
    const page = takePage(list, below, limit)
    const renews = this.#options.limits.idleFrom !== 'build'
    if (list && page.state === 'warm')
      this.#lists.touch(
        key,
        list,
        renews ? this.#after(this.#lifeOf(list.entries)) : list.expiresAt
      )
    return page
  }

  async lowestFloor(key: ListKey): Promise<PostId | null> {
    const list = this.#lists.get(key)
    return list === undefined ? null : lowestFloorOf(headFirst(list))
  }

  async begin(key: ListKey, token: string): Promise<boolean> {
    const list = this.#lists.get(key)
    if (list !== undefined && !isCold(headFirst(list))) return false
    this.#lists.set(key, holdList([buildEntry(token)], this.#after(this.#options.limits.buildMs)))
    this.#trim()
    return true
  }

  async finish(
    key: ListKey,
    token: string,
    ids: readonly PostId[],
    complete: boolean
  ): Promise<boolean> {
    const list = this.#lists.get(key)
    const { cap } = this.#options.limits
    const entries = list && finished(headFirst(list), token, ids, complete, cap)
    if (!entries) return false
    if (entries.length === 0) this.#lists.delete(key)
    else this.#lists.set(key, holdList(entries, this.#after(this.#lifeOf(entries))))
    this.#trim()
    return true
  }

  async settle(key: ListKey): Promise<void> {
    const list = this.#lists.get(key)
    const entries = list && settled(headFirst(list), this.#options.limits.cap)
    if (list && entries) this.#replace(key, list, entries.toReversed())
  }

  async drop(keys: readonly ListKey[]): Promise<void> {
    for (const key of keys) this.#lists.delete(key)
  }

  async remove(key: ListKey, ids: readonly PostId[]): Promise<void> {
    const list = this.#lists.get(key)
    if (list === undefined) return
    const gone = new Set(ids)
    const stays = (entry: Entry) => isFloor(entry) || isBuild(entry) || !gone.has(idOf(entry))
    this.#replace(key, list, list.entries.filter(stays))
  }

  async adopt(epoch: number): Promise<boolean> {
    const stale = this.#epoch !== undefined && this.#epoch !== epoch
    if (stale) await this.clear()
    this.#epoch = epoch
    return stale
  }

  async clear(): Promise<void> {
    this.#lists.clear()
    this.#rules.clear()
    this.#sessions.clear()
  }

  snapshot(): () => void {
    const copy = (list: HeldList) => ({ ...list, entries: [...list.entries] })
    const parts = [this.#lists.snapshot(copy), this.#rules.snapshot(), this.#sessions.snapshot()]
    return () => {
      for (const restore of parts) restore()
    }
  }

  async rules(reader: number): Promise<RulesRead> {
    return this.#rules.read(reader)
  }

  async fillRules(reader: number, lease: string, rules: Rules): Promise<void> {
    this.#rules.fill(reader, lease, rules)
  }

  async dropRules(readers: readonly number[]): Promise<void> {
    for (const reader of readers) this.#rules.drop(reader)
  }

  async session(reader: number, id: string | null, part: SessionPart): Promise<Session | null> {
    return this.#sessions.find(reader, id, part)
  }

  async extendSession(
    reader: number,
    id: string,
    length: number,
    ids: readonly PostId[]
  ): Promise<boolean> {
    const { sessionMs = SESSION_MS } = this.#options.limits
    return this.#sessions.extend(reader, id, length, ids, sessionMs)
  }

  async announce(change: Change): Promise<void> {
    for (const listener of this.#listeners) listener(change)
  }

  subscribe(listener: (change: Change) => void): void {
    this.#listeners.push(listener)
  }

  inStep(): boolean {
    return true
  }

  async expire(): Promise<number> {
    this.#rules.expire()
    this.#sessions.expire()
    return this.#lists.expire() + this.#trim()
  }

  async stats(): Promise<FeedsStats> {
    let warm = 0
    for (const { entries } of this.#lists.values()) if (!isBuild(entries[0] ?? '')) warm++
    return { warm, bytes: this.#lists.bytes + this.#rules.bytes + this.#sessions.bytes }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.clear()
    this.#listeners.length = 0
  }

  #after(ms: number): number {
    return this.#options.clock.monotonic() + ms
  }

  #lifeOf(entries: readonly Entry[]): number {
    return lifeMs(this.#options.limits, entries.every(isFloor))
  }

  /** Keeps the rest of its life. An empty list does not exist. */
  #replace(key: ListKey, list: HeldList, entries: Entry[]): void {
    list.entries = entries
    this.#lists.resize(list, listBytes(entries))
    if (entries.length === 0) this.#lists.delete(key)
  }

  #trim(): number {
    const dropped = this.#lists.trim()
    if (dropped > 0) this.#options.telemetry?.count('feeds_evicted', dropped)
    return dropped
  }
}
