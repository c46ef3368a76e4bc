import type { LoggedEvent } from '../../domain/event.ts'
import type { DeadRecord, EventHandler, EventLog } from '../../ports/event-log.ts'
import { Appender } from './appender.ts'
import { Backlog } from './backlog.ts'
import { Cluster } from './cluster.ts'
import { Consumer } from './consumer.ts'
import { buried, dropDeadRecords, listDeadRecords } from './dead-letters.ts'
import { deadline } from './deadline.ts'
import { type KafkaEventLogOptions, type Settings, settings } from './options.ts'
import { ensureTopics, WrongTopicError } from './topics.ts'

const RETRY_MS = 2000

/**
 * The event log on Apache Kafka 4: a topic whose partitions are shared out in a consumer group (KIP-848), keyed by the
 * user whose events stay in order. Topics that are missing are made. Brokers that do not answer yet are waited for:
 * until they do, appends are rejected and nothing is handled.
 * @throws WrongTopicError when the topic has another count of partitions than asked for
 */
export async function createKafkaEventLog(options: KafkaEventLogOptions): Promise<EventLog> {
  const log = new KafkaEventLog(settings(options))
  await log.open()
  return log
}

class KafkaEventLog implements EventLog {
  readonly #settings: Settings
  readonly #cluster: Cluster
  readonly #appender: Appender
  readonly #backlog: Backlog
  readonly #stop = new AbortController()
  #ready: Promise<boolean> = Promise.resolve(false)
  #failure: unknown
  #consuming: Promise<Consumer | null> | undefined
  #disposed: Promise<void> | undefined

  constructor(all: Settings) {
    this.#settings = all
    this.#cluster = new Cluster(all)
    this.#appender = new Appender(all)
    this.#backlog = new Backlog(all, this.#cluster)
  }

  /** Resolves at the first answer or failure; a broker that is not there is asked again behind the scenes. */
  async open(): Promise<void> {
    try {
      await this.#ensureTopics()
      this.#ready = Promise.resolve(true)
    } catch (error) {
      if (error instanceof WrongTopicError) throw error
      this.#ready = this.#retry(error)
    }
  }

  async append(events: readonly LoggedEvent[]): Promise<void> {
    if (events.length === 0) return
    const { requestMs } = this.#settings.tuning
    const ready = await deadline(this.#ready, requestMs, 'Reaching the event log')
    if (!ready) throw this.#failure ?? new Error('The event log is closed')
    await this.#appender.append(events)
  }

  async consume(open: (partition: number) => EventHandler): Promise<void> {
    if (this.#disposed !== undefined) throw new Error('The event log is closed')
    if (this.#consuming !== undefined) throw new Error('The event log is consumed already')
    this.#consuming = this.#start(open)
  }

  /** The group assigns partitions; the outbox's lanes have no say in it. */
  async release(): Promise<void> {}

  async pending(): Promise<number> {
    const under = this.#appender.pending
    return under + (await this.#backlog.events())
  }

  deadRecords(limit: number): Promise<readonly DeadRecord[]> {
    return listDeadRecords(this.#settings, limit)
  }

  dropDeadRecords(position: string): Promise<void> {
    return dropDeadRecords(this.#settings, position)
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#disposed ??= this.#close()
    return this.#disposed
  }

  async #ensureTopics(): Promise<void> {
    if (await ensureTopics(this.#settings)) this.#settings.onLost({ reason: 'created' })
  }

  /** Returns whether the topics are there in the end. */
  async #retry(error: unknown): Promise<boolean> {
    const { clock, telemetry } = this.#settings
    for (let failure = error; ; ) {
      telemetry.log('warn', 'the event log does not answer; trying again', { error: failure })
      await clock.sleep(RETRY_MS, this.#stop.signal)
      if (this.#stop.signal.aborted) return false
      try {
        await this.#ensureTopics()
        return true
      } catch (again) {
        failure = again
        this.#failure = again
      }
    }
  }

  /** Null: closed before the log was reached. */
  async #start(open: (partition: number) => EventHandler): Promise<Consumer | null> {
    const [all, cluster] = [this.#settings, this.#cluster]
    if (!(await this.#ready)) return null
    const bury: ConstructorParameters<typeof Consumer>[0]['bury'] = (partition, entry) =>
      this.#appender.send(buried(all, partition, entry))
    return new Consumer({ settings: all, cluster, open, bury })
  }

  async #close(): Promise<void> {
    this.#stop.abort()
    const consumer = await this.#consuming
    await consumer?.[Symbol.asyncDispose]()
    await this.#appender[Symbol.asyncDispose]()
    await this.#cluster[Symbol.asyncDispose]()
  }
}
