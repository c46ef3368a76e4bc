import { offsetCommitV9 } from '@platformatic/kafka'
import type { Cluster } from './cluster.ts'
import { answered } from './failures.ts'
import type { Membership } from './membership.ts'
import type { Settings } from './options.ts'

const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 2000
const NO_LEADER_EPOCH = -1
const FENCED = ['FENCED_MEMBER_EPOCH', 'UNKNOWN_MEMBER_ID', 'GROUP_ID_NOT_FOUND']

/**
 * Commits what is done, one request at a time and always the newest offset of each partition, so that no commit can
 * overtake a later one. Each carries the member's epoch: the coordinator refuses that of a member it has given up.
 */
export class Commits {
  readonly #settings: Settings
  readonly #cluster: Cluster
  readonly #member: () => Pick<Membership, 'memberId' | 'epoch' | 'fenced' | 'wake'>
  #waiting = new Map<number, bigint>()
  #flying = new Map<number, bigint>()
  #running: Promise<void> | undefined
  #failures = 0
  #tick = Promise.withResolvers<void>()

  constructor(
    settings: Settings,
    cluster: Cluster,
    member: () => Pick<Membership, 'memberId' | 'epoch' | 'fenced' | 'wake'>
  ) {
    this.#settings = settings
    this.#cluster = cluster
    this.#member = member
  }

  /** The work of everything before `offset` is done. */
  done(partition: number, offset: bigint): void {
    this.#waiting.set(partition, offset)
    this.#running ??= this.#run()
  }

  /** Resolves when nothing of the partition waits to be committed. */
  async flushed(partition: number): Promise<void> {
    while (this.#waiting.has(partition) || this.#flying.has(partition)) await this.#tick.promise
  }

  /** These are not ours any more. */
  drop(partition: number): void {
    this.#waiting.delete(partition)
    this.#flying.delete(partition)
    this.#signal()
  }

  clear(): void {
    this.#waiting.clear()
    this.#flying.clear()
    this.#signal()
  }

  #signal(): void {
    const { resolve } = this.#tick
    this.#tick = Promise.withResolvers<void>()
    resolve()
  }

  async #run(): Promise<void> {
    await Promise.resolve()
    while (this.#waiting.size > 0) {
      this.#flying = this.#waiting
      this.#waiting = new Map()
      try {
        await this.#commit(this.#flying)
        this.#flying = new Map()
        this.#failures = 0
      } catch (error) {
        await this.#failed(error)
      }
      this.#signal()
    }
    this.#running = undefined
  }

  async #commit(offsets: ReadonlyMap<number, bigint>): Promise<void> {
    const { group, topic } = this.#settings
    const { memberId, epoch } = this.#member()
    const partitions = [...offsets].map(([partitionIndex, committedOffset]) => ({
      partitionIndex,
      committedOffset,
      committedLeaderEpoch: NO_LEADER_EPOCH,
      committedMetadata: null
    }))
    const coordinator = await this.#cluster.coordinator()
    await this.#cluster.call(coordinator, 'group', connection =>
      offsetCommitV9.api.async(connection, group, epoch, memberId, null, [
        { name: topic, partitions }
      ])
    )
  }

  /** What failed waits again, unless something newer does; what a fenced member did is its successor's to do. */
  async #failed(error: unknown): Promise<void> {
    const { telemetry, clock } = this.#settings
    telemetry.count('log_commit_failures')
    if (answered(error, ...FENCED)) {
      this.clear()
      return await this.#member().fenced()
    }
    if (!answered(error, 'STALE_MEMBER_EPOCH')) {
      if (this.#failures === 0) telemetry.log('warn', 'offsets are not committed yet', { error })
      this.#cluster.forgetCoordinator()
    }
    const failed = this.#flying
    this.#flying = new Map()
    for (const [partition, offset] of failed) {
      if (!this.#waiting.has(partition)) this.#waiting.set(partition, offset)
    }
    this.#member().wake()
    await clock.sleep(Math.min(FIRST_PAUSE_MS * 2 ** this.#failures++, LONGEST_PAUSE_MS))
  }
}
