import { retry } from '../../lib/retry.ts'
import type { Cluster } from './cluster.ts'
import { isAnswer } from './failures.ts'
import { committedOffsets, EARLIEST, LATEST, listOffsets } from './offsets.ts'
import type { Settings } from './options.ts'

/** Leaders and coordinators move. */
const RETRIES = { attempts: 6, baseMs: 100, shouldRetry: isAnswer } as const

/**
 * What the group has still to do, whoever owns the partitions and whoever appended. An answer is never older than the
 * question: those who ask during a count share the next one.
 */
export class Backlog {
  readonly #settings: Settings
  readonly #cluster: Cluster
  #running: Promise<unknown> = Promise.resolve()
  #next: Promise<number> | undefined

  constructor(settings: Settings, cluster: Cluster) {
    this.#settings = settings
    this.#cluster = cluster
  }

  /** @throws when the log can't be reached. */
  events(): Promise<number> {
    this.#next ??= this.#after(this.#running)
    return this.#next
  }

  async #after(running: Promise<unknown>): Promise<number> {
    await running.catch(() => {})
    this.#next = undefined
    const { clock } = this.#settings
    const count = retry(() => this.#count(), { ...RETRIES, clock })
    this.#running = count
    return await count
  }

  async #count(): Promise<number> {
    const { topic: name } = this.#settings
    const topic = await this.#cluster.topic(name)
    if (topic === null) return 0
    const all = topic.leaders.map((_, partition) => partition)
    const at = (time: bigint) => listOffsets(this.#settings, this.#cluster, topic, all, time)
    const committed = await committedOffsets(this.#settings, this.#cluster, all)
    const [firsts, ends] = await Promise.all([at(EARLIEST), at(LATEST)])
    return all.reduce((sum, partition) => sum + behind(partition, committed, firsts, ends), 0)
  }
}

type Offsets = ReadonlyMap<number, bigint>

function behind(partition: number, committed: Offsets, firsts: Offsets, ends: Offsets): number {
  const [done, first] = [committed.get(partition) ?? -1n, firsts.get(partition) ?? 0n]
  const events = (ends.get(partition) ?? 0n) - (done > first ? done : first)
  return events > 0n ? Number(events) : 0
}
