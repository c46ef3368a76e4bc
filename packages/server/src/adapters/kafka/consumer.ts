import type { EventHandler } from '../../ports/event-log.ts'
import { beginning } from './beginning.ts'
import type { Cluster, TopicView } from './cluster.ts'
import { Commits } from './commits.ts'
import { Fetcher } from './fetcher.ts'
import { Membership, type PartitionKey, parseKey } from './membership.ts'
import type { Settings } from './options.ts'
import { Partition } from './partition.ts'
import type { Entry } from './records.ts'
import { ensureTopics } from './topics.ts'

const WATCH_MS = 2000
const REFRESH_MS = 30_000

export interface ConsumerContext {
  readonly settings: Settings
  readonly cluster: Cluster
  readonly open: (partition: number) => EventHandler
  readonly bury: (partition: number, entry: Entry) => Promise<void>
}

/** Everything that belongs to reading: membership in the group, and the partitions that it assigns. */
export class Consumer implements AsyncDisposable {
  readonly #context: ConsumerContext
  readonly #partitions = new Map<PartitionKey, Partition>()
  /** Partitions that are ending: whoever comes after them in this process waits. */
  readonly #ending = new Map<PartitionKey, Promise<void>>()
  readonly #owned = new Set<PartitionKey>()
  readonly #commits: Commits
  readonly #fetcher: Fetcher
  readonly #membership: Membership
  readonly #stop = new AbortController()
  readonly #watching: Promise<void>
  #topic: TopicView | undefined
  #refreshing: Promise<void> | undefined

  constructor(context: ConsumerContext) {
    const { settings, cluster } = context
    this.#context = context
    this.#commits = new Commits(settings, cluster, () => this.#membership)
    this.#fetcher = new Fetcher({
      settings,
      cluster,
      topic: () => this.#topic,
      partitions: () => this.#partitions.values(),
      stale: () => this.#refresh()
    })
    this.#membership = new Membership(settings, cluster, {
      assign: keys => this.#assign(keys),
      revoke: keys => this.#revoke(keys),
      lose: () => this.#lose()
    })
    this.#watching = this.#watch()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#membership[Symbol.asyncDispose]()
    this.#fetcher.stop()
    await this.#watching
  }

  #assign(keys: readonly PartitionKey[]): void {
    for (const key of keys) {
      this.#owned.add(key)
      void this.#begin(key)
    }
  }

  async #begin(key: PartitionKey): Promise<void> {
    await this.#ending.get(key)
    if (!this.#owned.has(key) || this.#partitions.has(key)) return
    const { settings, cluster, open, bury } = this.#context
    const { topicId, partition } = parseKey(key)
    const begin = async () => {
      if (topicId !== this.#topic?.id) await this.#refresh()
      if (topicId !== this.#topic?.id) throw new Error(`The topic ${topicId} is not known`)
      try {
        return await beginning(settings, cluster, this.#topic, partition)
      } catch (error) {
        await this.#refresh()
        throw error
      }
    }
    const hungry = () => this.#fetcher.pump()
    const context = { settings, commits: this.#commits, open, begin, bury, hungry }
    this.#partitions.set(key, new Partition(topicId, partition, context))
  }

  async #revoke(keys: readonly PartitionKey[]): Promise<void> {
    await Promise.all(keys.map(key => this.#end(key, one => one.close())))
  }

  async #lose(): Promise<void> {
    this.#commits.clear()
    await Promise.all([...this.#owned].map(key => this.#end(key, one => one.abandon())))
  }

  async #end(key: PartitionKey, how: (one: Partition) => Promise<void>): Promise<void> {
    this.#owned.delete(key)
    const one = this.#partitions.get(key)
    if (one === undefined) return await this.#ending.get(key)
    this.#partitions.delete(key)
    const ended = how(one).finally(() => {
      if (this.#ending.get(key) === ended) this.#ending.delete(key)
      this.#context.settings.telemetry.gauge('log_lag_events', 0, { partition: `${one.number}` })
    })
    this.#ending.set(key, ended)
    await ended
  }

  /** Learns leaders anew, and whether the topic is still the one that it was; makes it when it is gone. */
  #refresh(): Promise<void> {
    this.#refreshing ??= this.#look().finally(() => {
      this.#refreshing = undefined
    })
    return this.#refreshing
  }

  async #look(): Promise<void> {
    const { settings, cluster } = this.#context
    try {
      const found = await cluster.topic(settings.topic)
      if (found === null) {
        settings.telemetry.log('error', 'the topic of events is gone and is made anew', {})
        await ensureTopics(settings)
        return
      }
      const known = this.#topic?.id
      this.#topic = found
      if (known !== undefined && found.id !== known) await this.#recreated(known)
    } catch (error) {
      settings.telemetry.log('warn', 'the topic of events is not known', { error })
    }
  }

  /** Partitions of the old topic have nothing to commit to. */
  async #recreated(known: string): Promise<void> {
    const { settings } = this.#context
    settings.onLost({ reason: 'recreated' })
    const old = [...this.#partitions.keys()].filter(key => parseKey(key).topicId === known)
    await Promise.all(old.map(key => this.#end(key, one => one.abandon())))
    this.#membership.wake()
  }

  /** Tells how far behind each partition is, and makes all connections anew when one is not read for long. */
  async #watch(): Promise<void> {
    const { clock, telemetry, tuning } = this.#context.settings
    let refreshedAt = clock.monotonic()
    while (!this.#stop.signal.aborted) {
      await clock.sleep(WATCH_MS, this.#stop.signal)
      const now = clock.monotonic()
      for (const one of this.#partitions.values()) {
        telemetry.gauge('log_lag_events', one.lag, { partition: `${one.number}` })
      }
      if (now - refreshedAt > REFRESH_MS) {
        refreshedAt = now
        await this.#refresh()
      }
      const stalled = [...this.#partitions.values()].filter(
        one => one.wants && now - one.readAt > tuning.stallMs
      )
      if (stalled.length > 0) await this.#restart(stalled)
    }
  }

  async #restart(stalled: readonly Partition[]): Promise<void> {
    const { telemetry, clock } = this.#context.settings
    telemetry.count('log_watchdog_resets')
    telemetry.log('error', 'partitions are not read; all connections are made anew', {
      partitions: stalled.map(one => one.number)
    })
    for (const one of stalled) one.readAt = clock.monotonic()
    this.#context.cluster.reset()
    await this.#refresh()
    this.#fetcher.abandon()
  }
}
