import type { fetchV17 } from '@platformatic/kafka'
import type { Address, Cluster, TopicView } from './cluster.ts'
import { codeOf } from './failures.ts'
import { fetchFrom } from './fetch.ts'
import { EARLIEST, LATEST, listOffsets } from './offsets.ts'
import type { Settings } from './options.ts'
import type { Partition } from './partition.ts'
import { endOf, entriesOf } from './records.ts'

const FIRST_PAUSE_MS = 300
const LONGEST_PAUSE_MS = 2000

export interface FetcherContext {
  readonly settings: Settings
  readonly cluster: Cluster
  /** Undefined while the topic is not known. */
  readonly topic: () => TopicView | undefined
  readonly partitions: () => Iterable<Partition>
  /** The view of the topic is stale. */
  readonly stale: () => Promise<void>
}

/** Reads for all partitions that have room: one request per broker at a time, which takes in all that it leads. */
export class Fetcher {
  readonly #context: FetcherContext
  #flights = new Set<Address>()
  /** Of brokers that failed, in a row. */
  readonly #failures = new Map<Address, number>()
  #stopped = false

  constructor(context: FetcherContext) {
    this.#context = context
  }

  stop(): void {
    this.#stopped = true
  }

  /** Flights that don't come back are forgotten; their answers are ignored. */
  abandon(): void {
    this.#flights = new Set()
    this.pump()
  }

  /** Starts what is not under way. */
  pump(): void {
    const topic = this.#context.topic()
    if (this.#stopped || topic === undefined) return
    const wanting = [...this.#context.partitions()].filter(
      one => one.wants && one.topicId === topic.id
    )
    const byLeader = Map.groupBy(wanting, one => topic.leaders[one.number])
    for (const [leader, some] of byLeader) {
      if (leader === undefined) void this.#rest(this.#flights, 'no leader')
      else if (!this.#flights.has(leader)) void this.#fly(topic.id, leader, some)
    }
  }

  async #fly(topicId: string, leader: Address, some: readonly Partition[]): Promise<void> {
    const flights = this.#flights
    flights.add(leader)
    try {
      await this.#fetch(flights, topicId, leader, some)
    } catch (error) {
      const { telemetry } = this.#context.settings
      telemetry.count('log_fetch_failures')
      const failures = this.#failures.get(leader) ?? 0
      this.#failures.set(leader, failures + 1)
      if (failures === 0) telemetry.log('warn', 'a broker can not be read', { leader, error })
      await this.#pause(Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS))
    } finally {
      flights.delete(leader)
      this.pump()
    }
  }

  async #fetch(
    flights: Set<Address>,
    topicId: string,
    leader: Address,
    some: readonly Partition[]
  ): Promise<void> {
    const { settings, cluster } = this.#context
    const asked = new Map(some.map(one => [one.number, { one, position: one.position ?? 0n }]))
    const wanted = [...asked].map(([partition, { position }]) => ({ partition, position }))
    const answer = await fetchFrom(settings, cluster, { topicId, leader }, wanted)
    this.#failures.delete(leader)
    if (flights !== this.#flights) return
    let stale = answer.length === 0
    for (const told of answer) {
      const { one, position } = asked.get(told.partitionIndex) ?? {}
      if (one === undefined || position === undefined || one.position !== position) continue
      if (told.errorCode === 0) deliver(one, position, told)
      else if (told.errorCode === codeOf('OFFSET_OUT_OF_RANGE')) await this.#seek(one)
      else stale = true
    }
    if (stale) await this.#pause()
  }

  /** The log does not hold what is to be read next: goes on with the oldest that it holds, and says so. */
  async #seek(one: Partition): Promise<void> {
    const { settings, cluster } = this.#context
    const topic = this.#context.topic()
    if (topic === undefined || one.position === undefined) return
    const [first, end] = await Promise.all([
      listOffsets(settings, cluster, topic, [one.number], EARLIEST),
      listOffsets(settings, cluster, topic, [one.number], LATEST)
    ])
    const to = first.get(one.number) ?? 0n
    const from = one.position
    const reason = from < to ? 'retention' : 'truncated'
    if (reason === 'truncated' && from <= (end.get(one.number) ?? 0n)) return
    one.skipTo(to)
    settings.onLost({ reason, partition: one.number, from, to })
  }

  async #pause(ms = FIRST_PAUSE_MS): Promise<void> {
    await this.#context.settings.clock.sleep(ms)
    if (!this.#stopped) await this.#context.stale()
  }

  /** While a leader is elected. */
  async #rest(flights: Set<Address>, key: string): Promise<void> {
    if (flights.has(key)) return
    flights.add(key)
    await this.#pause()
    flights.delete(key)
    this.pump()
  }
}

function deliver(one: Partition, position: bigint, told: fetchV17.FetchResponsePartition): void {
  const records = told.records ?? []
  one.take(entriesOf(records, position), endOf(records, position), told.highWatermark)
}
