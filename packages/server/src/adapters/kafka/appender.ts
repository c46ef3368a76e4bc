import { CompressionAlgorithms, ProduceAcks, Producer } from '@platformatic/kafka'
import { eventKey, type LoggedEvent } from '../../domain/event.ts'
import { EventTooLargeError } from '../../ports/event-log.ts'
import { deadline } from './deadline.ts'
import { answered } from './failures.ts'
import { partitionOf } from './murmur2.ts'
import type { Settings } from './options.ts'
import { encode } from './records.ts'

/** Of a record beside key, value and headers: lengths, deltas, and its share of the batch's head. */
const RECORD_OVERHEAD = 70
const ROUND_MAX = 2000
/** Of a producer before it gives up a round; each repeats the same sequence numbers, so nothing is written twice. */
const RETRIES = 3
const RETRY_MS = 250

interface RawMessage {
  readonly topic: string
  readonly key: Buffer
  readonly value: Buffer
  readonly headers: Map<Buffer, Buffer>
}

interface Message extends RawMessage {
  readonly partition: number
  readonly event: LoggedEvent
}

interface Chunk {
  readonly messages: readonly Message[]
  readonly bytes: number
  readonly done: PromiseWithResolvers<void>
}

/**
 * Appends in rounds, one at a time: what is asked for during a round makes the next one. So nothing overtakes, retried
 * or not. When a round fails, all that waits fails with it: its events come again, in order, through a producer of
 * their own.
 */
export class Appender implements AsyncDisposable {
  readonly #settings: Settings
  #producer: Producer | undefined
  #waiting: Chunk[] = []
  #running: Promise<void> | undefined
  #disposed = false
  #pending = 0

  constructor(settings: Settings) {
    this.#settings = settings
  }

  /** Events on their way. */
  get pending(): number {
    return this.#pending
  }

  /** @throws EventTooLargeError before anything is sent. */
  async append(events: readonly LoggedEvent[]): Promise<void> {
    if (this.#disposed) throw new Error('The event log is closed')
    if (events.length === 0) return
    const chunk = this.#chunk(events)
    this.#pending += events.length
    this.#waiting.push(chunk)
    this.#running ??= this.#run()
    try {
      await chunk.done.promise
    } finally {
      this.#pending -= events.length
    }
  }

  /** Sends a record as it is, to another topic. */
  async send(message: RawMessage): Promise<void> {
    await this.#send([message])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true
    const reason = new Error('The event log was closed')
    for (const chunk of this.#waiting.splice(0)) chunk.done.reject(reason)
    await this.#running
    await this.#discard()
  }

  #chunk(events: readonly LoggedEvent[]): Chunk {
    const { topic, partitions, tuning } = this.#settings
    let bytes = 0
    const messages = events.map(event => {
      const record = encode(event)
      const size = sizeOf(record)
      if (size > tuning.bytesMax) throw new EventTooLargeError(event, size)
      bytes += size
      const partition = partitionOf(String(eventKey(event.event)), partitions)
      return { topic, partition, event, ...record }
    })
    return { messages, bytes, done: Promise.withResolvers<void>() }
  }

  async #run(): Promise<void> {
    await Promise.resolve()
    for (let round = this.#take(); round.length > 0; round = this.#take()) await this.#round(round)
    this.#running = undefined
  }

  /** As many chunks as fit into one batch of one partition, or a single one that does not. */
  #take(): Chunk[] {
    let [bytes, count] = [0, 0]
    const end = this.#waiting.findIndex(chunk => {
      bytes += chunk.bytes
      count += chunk.messages.length
      return bytes > this.#settings.tuning.bytesMax || count > ROUND_MAX
    })
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : Math.max(end, 1))
  }

  async #round(chunks: readonly Chunk[]): Promise<void> {
    try {
      const messages = chunks.flatMap(chunk => chunk.messages)
      for (const part of this.#parts(messages)) await this.#deliver(part)
      for (const { done } of chunks) done.resolve()
    } catch (error) {
      this.#settings.telemetry.count('log_append_failures')
      for (const { done } of [...chunks, ...this.#waiting.splice(0)]) done.reject(error)
      await this.#discard()
    }
  }

  /** Consecutive parts, each small enough for one batch. */
  #parts(messages: readonly Message[]): Message[][] {
    const parts: Message[][] = []
    let bytes = Number.POSITIVE_INFINITY
    for (const message of messages) {
      const size = sizeOf(message)
      bytes += size
      if (bytes > this.#settings.tuning.bytesMax) {
        parts.push([])
        bytes = size
      }
      parts.at(-1)?.push(message)
    }
    return parts
  }

  /** A topic may allow less than is known here: halves find out which event it is. @throws EventTooLargeError */
  async #deliver(messages: readonly Message[]): Promise<void> {
    const [first] = messages
    try {
      await this.#send(messages.map(({ event, ...message }) => message))
    } catch (error) {
      if (first === undefined || !answered(error, 'MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE')) {
        throw error
      }
      if (messages.length === 1) throw new EventTooLargeError(first.event, sizeOf(first))
      const half = messages.length >> 1
      await this.#deliver(messages.slice(0, half))
      await this.#deliver(messages.slice(half))
    }
  }

  async #send(messages: readonly RawMessage[]): Promise<void> {
    this.#producer ??= createProducer(this.#settings)
    const { requestMs } = this.#settings.tuning
    const sent = this.#producer.send({ messages: [...messages] })
    await deadline(sent, 3 * requestMs, 'Appending to the log')
  }

  async #discard(): Promise<void> {
    const producer = this.#producer
    this.#producer = undefined
    if (producer === undefined) return
    const closed = producer.close()
    await deadline(closed, this.#settings.tuning.requestMs, 'Closing a producer').catch(() => {})
  }
}

function createProducer({ brokers, clientId, security, tuning }: Settings): Producer {
  const options = {
    ...security,
    clientId,
    bootstrapBrokers: [...brokers],
    acks: ProduceAcks.ALL,
    idempotent: true,
    compression: CompressionAlgorithms.ZSTD,
    retries: RETRIES,
    retryDelay: RETRY_MS,
    connectTimeout: tuning.requestMs,
    requestTimeout: tuning.requestMs
  }
  return new Producer(options)
}

function sizeOf({ key, value, headers }: Omit<RawMessage, 'topic'>): number {
  let bytes = RECORD_OVERHEAD + key.length + value.length
  for (const [name, text] of headers) bytes += name.length + text.length
  return bytes
}
