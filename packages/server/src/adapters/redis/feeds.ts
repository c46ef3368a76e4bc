import { type FeedsLimits, MINUTE_MS } from '../../domain/limits.ts'
import { END, type PostId } from '../../domain/post-id.ts'
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
  SessionPart,
  Taken
} from '../../ports/feeds.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { Channel } from './channel.ts'
import { ClusterTopology } from './cluster-topology.ts'
import type { Commands } from './commands.ts'
import { RedisFailure } from './failure.ts'
import { removeOurs } from './guard.ts'
import { createKeys, type Keys } from './keys.ts'
import type { Link } from './link.ts'
import type { ListEngine } from './list-engine.ts'
import { RedisLists } from './lists.ts'
import { RedisNode } from './node.ts'
import { dropCommand, runAll } from './push-each.ts'
import { createRouter } from './router.ts'
import { RuleCache } from './rule-cache.ts'
import { RedisSessions } from './sessions.ts'
import { measure } from './stats.ts'
import { createSingleTopology, type Topology } from './topology.ts'
import { withinDeadline } from './with-deadline.ts'
import { RedisZsets } from './zsets.ts'

export interface RedisFeedsOptions {
  /** One: a single server. Several, or `cluster`: some nodes of a Cluster. `redis[s]://[user:password@]host:port`. */
  readonly urls: readonly string[]
  readonly cluster?: boolean
  /** Before every key, so that several fleets or tests may share a server. */
  readonly prefix?: string
  /** The whole database is ours: it is emptied by FLUSHDB instead of a search. */
  readonly ownsDatabase?: boolean
  readonly clock: Clock
  readonly limits: FeedsLimits
  readonly telemetry: Telemetry
  readonly kind?: 'list' | 'zset'
  /** For one operation, retries included. */
  readonly timeoutMs?: number
}

/** A page that waits so long in vain still comes from the Store within 2 s. */
const TIMEOUT_MS = 1000
const EMPTYING_MS = 60_000
const SESSION_MS = 30 * MINUTE_MS
/** The key is written again every few seconds. */
const EPOCH_MS = 86_400_000
const BUILDING: Taken = { state: 'building', ids: [], floor: END, unsettled: false }

/** Feeds in Redis or Valkey 7 and later. Resolves once it is connected, or has tried for a while: it goes on trying. */
export async function createRedisFeeds(options: RedisFeedsOptions): Promise<Feeds> {
  const feeds = new RedisFeeds(options)
  await feeds.settleIn()
  return feeds
}

class RedisFeeds implements Feeds {
  readonly #options: RedisFeedsOptions
  readonly #keys: Keys
  readonly #topology: Topology
  readonly #commands: Commands
  readonly #lists: ListEngine
  readonly #rules: RuleCache
  readonly #sessions: RedisSessions
  readonly #channel: Channel
  #epoch: string | undefined

  constructor(options: RedisFeedsOptions) {
    const { clock, timeoutMs = TIMEOUT_MS, prefix = '', limits, kind = 'list' } = options
    const keys = createKeys(prefix)
    const name = Math.floor(clock.random() * 2 ** 52).toString(36)
    let tokens = 0
    const topology = makeTopology(options, keys, async lost => this.#dropKeys(lost))
    const commands = createRouter({ ...options, timeoutMs, topology })
    this.#options = options
    this.#keys = keys
    this.#topology = topology
    this.#commands = commands
    this.#lists = new (kind === 'list' ? RedisLists : RedisZsets)({ commands, keys, limits })
    this.#rules = new RuleCache({ commands, keys, makeToken: () => `${name}.${++tokens}` })
    const { sessionMs: ttlMs = SESSION_MS } = limits
    this.#sessions = new RedisSessions({ commands, keys, ttlMs })
    this.#channel = new Channel({
      ...options,
      commands,
      timeoutMs,
      name: keys.changes,
      sender: name,
      url: () => topology.nodeOf(keys.changes)?.url
    })
  }

  async settleIn(): Promise<void> {
    const { clock, timeoutMs = TIMEOUT_MS } = this.#options
    const end = clock.monotonic() + timeoutMs
    while (clock.monotonic() < end && !this.#isSettled()) await clock.sleep(10)
  }

  push(pushes: readonly Push[]): Promise<readonly Pushed[]> {
    return this.#lists.push(pushes)
  }

  take(list: ListKey, below: PostId, limit: number): Promise<Taken> {
    return unlessUnsafe(
      this.#onOwnKind(list, () => this.#lists.take(list, below, limit)),
      BUILDING
    )
  }

  lowestFloor(list: ListKey): Promise<PostId | null> {
    return this.#onOwnKind(list, () => this.#lists.lowestFloor(list))
  }

  begin(list: ListKey, token: string): Promise<boolean> {
    return unlessUnsafe(
      this.#onOwnKind(list, () => this.#lists.begin(list, token)),
      false
    )
  }

  finish(
    list: ListKey,
    token: string,
    ids: readonly PostId[],
    complete: boolean
  ): Promise<boolean> {
    return unlessUnsafe(
      this.#onOwnKind(list, () => this.#lists.finish(list, token, ids, complete)),
      false
    )
  }

  settle(list: ListKey): Promise<void> {
    return this.#onOwnKind(list, () => this.#lists.settle(list))
  }

  drop(lists: readonly ListKey[]): Promise<void> {
    return this.#dropKeys(lists.map(this.#keys.list))
  }

  remove(list: ListKey, ids: readonly PostId[]): Promise<void> {
    return this.#onOwnKind(list, () => this.#lists.remove(list, ids))
  }

  async clear(): Promise<void> {
    for (const link of this.#links()) await removeOurs(link, this.#keys)
  }

  /** An absent key tells nothing: it may have gone with a server that was emptied. This process knows what it saw. */
  async adopt(epoch: number): Promise<boolean> {
    const key = this.#keys.epoch
    const ask = (...args: string[]) =>
      this.#commands.ask('adopt', { key, args: () => args }, { patient: false })
    const held = (await ask('GET', key)) ?? this.#epoch
    const stale = held !== String(epoch)
    if (stale) await this.clear()
    await ask('SET', key, String(epoch), 'PX', String(EPOCH_MS))
    this.#epoch = String(epoch)
    return stale
  }

  rules(reader: number): Promise<RulesRead> {
    return unlessUnsafe(this.#rules.read(reader), { lease: null })
  }

  fillRules(reader: number, lease: string, rules: Rules): Promise<void> {
    return unlessUnsafe(this.#rules.fill(reader, lease, rules), undefined)
  }

  dropRules(readers: readonly number[]): Promise<void> {
    return this.#rules.drop(readers)
  }

  session(reader: number, id: string | null, part: SessionPart): Promise<Session | null> {
    return unlessUnsafe(this.#sessions.find(reader, id, part), null)
  }

  extendSession(
    reader: number,
    id: string,
    length: number,
    ids: readonly PostId[]
  ): Promise<boolean> {
    return unlessUnsafe(this.#sessions.extend(reader, id, length, ids), false)
  }

  announce(change: Change): Promise<void> {
    return this.#channel.announce(change)
  }

  subscribe(listener: (change: Change) => void): void {
    this.#channel.subscribe(listener)
  }

  inStep(): boolean {
    return this.#channel.inStep()
  }

  /** The server does it. */
  async expire(): Promise<number> {
    return 0
  }

  async stats(): Promise<FeedsStats> {
    const { kind = 'list' } = this.#options
    const all = await Promise.all(this.#links().map(link => measure(link, this.#keys, kind)))
    return {
      warm: all.reduce((sum, { warm }) => sum + warm, 0),
      bytes: all.reduce((sum, { bytes }) => sum + bytes, 0)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#channel[Symbol.asyncDispose]()
    await this.#topology[Symbol.asyncDispose]()
  }

  /** A list that was made under another FANWISE_FEEDS cannot be read: it is dropped. */
  async #onOwnKind<T>(list: ListKey, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof RedisFailure) || error.kind !== 'othertype') throw error
      await this.drop([list])
      return work()
    }
  }

  #isSettled(): boolean {
    const masters = this.#topology.masters()
    return masters.length > 0 && masters.every(node => node.ready) && this.inStep()
  }

  #dropKeys(keys: readonly string[]): Promise<void> {
    return runAll(this.#commands, 'drop', keys.map(dropCommand))
  }

  /** Of every server. @throws RedisFailure when one cannot be reached */
  #links(): Link[] {
    const { clock } = this.#options
    const masters = this.#topology.masters()
    if (masters.length === 0) throw new RedisFailure('unsent', 'Redis cannot be reached')
    return masters.map(({ link }) => {
      if (link === undefined) throw new RedisFailure('unsent', 'Redis cannot be reached')
      return withinDeadline(link, { clock, timeoutMs: EMPTYING_MS })
    })
  }
}

function makeTopology(
  options: RedisFeedsOptions,
  keys: Keys,
  dropElsewhere: (keys: readonly string[]) => Promise<void>
): Topology {
  const { urls, cluster = urls.length > 1, ownsDatabase = false, timeoutMs = TIMEOUT_MS } = options
  const common = { ...options, keys, ownsDatabase, timeoutMs, dropElsewhere }
  if (!cluster) {
    const [url = ''] = urls
    const confirm = async () => {}
    return createSingleTopology(new RedisNode({ ...common, url, tag: () => 0, confirm }))
  }
  return new ClusterTopology({
    seeds: urls,
    clock: options.clock,
    timeoutMs,
    makeNode: (url, view) =>
      new RedisNode({
        ...common,
        url,
        tag: () => view.tag(url),
        confirm: () => view.confirm(url)
      })
  })
}

/** While a server is being emptied its lists read as in work: the Store answers, and nobody starts to build. */
async function unlessUnsafe<T>(work: Promise<T>, answer: T): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof RedisFailure && error.kind === 'unsafe') return answer
    throw error
  }
}
