import { randomUUID } from 'node:crypto'
import { consumerGroupHeartbeatV1 } from '@platformatic/kafka'
import type { Cluster } from './cluster.ts'
import { answered } from './failures.ts'
import type { Settings } from './options.ts'

/** `<topic id>:<partition>`: a topic made anew has other ones. */
export type PartitionKey = string

export interface Ownership {
  /** Partitions that are this member's from now on. */
  assign(keys: readonly PartitionKey[]): void
  /** Partitions that are wanted elsewhere: resolves when nothing of them is written or committed any more. */
  revoke(keys: readonly PartitionKey[]): Promise<void>
  /** Another may own them all by now: resolves when nothing is written any more. Nothing is committed. */
  lose(): Promise<void>
}

const RETRY_MS = 500
/** Until the group tells its own. */
const INTERVAL_MS = 1000
const LEAVE = -1
/** The group has given up this member, or takes it for another: its partitions are gone. */
const FENCED = ['FENCED_MEMBER_EPOCH', 'UNKNOWN_MEMBER_ID', 'GROUP_ID_NOT_FOUND']
const MOVED = ['NOT_COORDINATOR', 'COORDINATOR_NOT_AVAILABLE', 'COORDINATOR_LOAD_IN_PROGRESS']

/**
 * Membership in a group by KIP-848: heartbeats go on whatever the handlers do, and a partition is given up only when
 * its handler is closed. The group moves it on when it is no longer among those that a heartbeat claims.
 */
export class Membership implements AsyncDisposable {
  readonly memberId = randomUUID()
  readonly #settings: Settings
  readonly #cluster: Cluster
  readonly #ownership: Ownership
  readonly #stop = new AbortController()
  readonly #owned = new Set<PartitionKey>()
  #revoking = new Set<PartitionKey>()
  #epoch = 0
  #failures = 0
  #heardAt: number
  #intervalMs = INTERVAL_MS
  #nap = new AbortController()
  #woken = false
  #leaving = false
  #running: Promise<void>

  constructor(settings: Settings, cluster: Cluster, ownership: Ownership) {
    this.#settings = settings
    this.#cluster = cluster
    this.#ownership = ownership
    this.#heardAt = settings.clock.monotonic()
    this.#running = this.#run()
  }

  /** Fences commits: the coordinator refuses those of an epoch that is over. */
  get epoch(): number {
    return this.#epoch
  }

  /** A commit was refused because the group gave this member up. */
  async fenced(): Promise<void> {
    if (this.#epoch > 0) await this.#lose('log_fenced')
  }

  wake(): void {
    this.#woken = true
    this.#nap.abort()
  }

  /** Closes what is owned while heartbeats go on, then leaves: others need not wait for the session to end. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#leaving = true
    await this.#ownership.revoke([...this.#owned])
    this.#stop.abort()
    this.wake()
    await this.#running
    this.#owned.clear()
    if (this.#epoch > 0) await this.#heartbeat(LEAVE).catch(() => {})
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      this.#woken = false
      let pauseMs = this.#intervalMs
      try {
        await this.#beat()
      } catch (error) {
        await this.#failed(error)
        pauseMs = RETRY_MS
      }
      if (this.#woken || this.#stop.signal.aborted) continue
      this.#nap = new AbortController()
      await this.#settings.clock.sleep(pauseMs, this.#nap.signal)
    }
  }

  async #beat(): Promise<void> {
    const askedAt = this.#settings.clock.monotonic()
    const reply = await this.#heartbeat(this.#epoch)
    this.#heardAt = askedAt
    this.#failures = 0
    this.#epoch = reply.memberEpoch
    if (reply.heartbeatIntervalMs > 0) this.#intervalMs = reply.heartbeatIntervalMs
    if (reply.assignment) this.#reconcile(keysOf(reply.assignment.topicPartitions))
  }

  async #heartbeat(
    epoch: number
  ): Promise<consumerGroupHeartbeatV1.ConsumerGroupHeartbeatResponse> {
    const { group, topic, tuning } = this.#settings
    const rebalanceMs = tuning.drainMs + tuning.closeMs + 2 * tuning.requestMs
    const owned = topicPartitions(this.#owned)
    const coordinator = await this.#cluster.coordinator()
    return await this.#cluster.call(coordinator, 'group', connection =>
      consumerGroupHeartbeatV1.api.async(
        connection,
        ...([group, this.memberId, epoch, null, null] as const),
        rebalanceMs,
        [topic],
        ...([null, null] as const),
        owned
      )
    )
  }

  async #failed(error: unknown): Promise<void> {
    const { telemetry, clock, tuning } = this.#settings
    if (this.#stop.signal.aborted) return
    if (answered(error, ...FENCED)) return await this.#lose('log_fenced')
    telemetry.count('log_heartbeat_failures')
    if (this.#failures++ === 0) telemetry.log('warn', 'the group does not answer', { error })
    this.#cluster.forgetCoordinator()
    if (answered(error, ...MOVED)) return
    const silentMs = clock.monotonic() - this.#heardAt
    if (silentMs > tuning.silenceMs - tuning.requestMs && this.#owned.size > 0) {
      await this.#lose('log_silences')
    }
  }

  async #lose(counted: string): Promise<void> {
    const { telemetry } = this.#settings
    telemetry.count(counted)
    telemetry.log('warn', 'this worker lost its partitions', { partitions: this.#owned.size })
    this.#epoch = 0
    this.#owned.clear()
    this.#revoking = new Set()
    await this.#ownership.lose()
    this.wake()
  }

  #reconcile(target: ReadonlySet<PartitionKey>): void {
    if (this.#leaving) return
    const gone = [...this.#owned].filter(key => !target.has(key) && !this.#revoking.has(key))
    const fresh = [...target].filter(key => !this.#owned.has(key))
    for (const key of fresh) this.#owned.add(key)
    if (fresh.length > 0) {
      this.#ownership.assign(fresh)
      this.wake()
    }
    if (gone.length > 0) void this.#giveUp(gone)
  }

  async #giveUp(keys: readonly PartitionKey[]): Promise<void> {
    const revoking = this.#revoking
    for (const key of keys) revoking.add(key)
    await this.#ownership.revoke(keys)
    if (revoking !== this.#revoking) return
    for (const key of keys) {
      revoking.delete(key)
      this.#owned.delete(key)
    }
    this.wake()
  }
}

interface TopicPartitions {
  readonly topicId: string
  readonly partitions: number[]
}

function keysOf(assigned: readonly TopicPartitions[]): Set<PartitionKey> {
  return new Set(
    assigned.flatMap(({ topicId, partitions }) => partitions.map(n => `${topicId}:${n}`))
  )
}

function topicPartitions(keys: Iterable<PartitionKey>): TopicPartitions[] {
  const byTopic = Map.groupBy(keys, key => parseKey(key).topicId)
  return [...byTopic].map(([topicId, some]) => ({
    topicId,
    partitions: some.map(key => parseKey(key).partition)
  }))
}

export function parseKey(key: PartitionKey) {
  const colon = key.lastIndexOf(':')
  return { topicId: key.slice(0, colon), partition: Number(key.slice(colon + 1)) }
}
