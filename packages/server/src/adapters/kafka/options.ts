import type { ConnectionOptions } from '@platformatic/kafka'
import type { Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'

/** Events that were in the log and cannot be read from it any more, or may be missing from it. */
export interface LogLoss {
  /**
   * `created`: the topic did not exist; `recreated`: it is another topic than before, of the same name; `retention`:
   * the log dropped what was not consumed yet; `truncated`: the log ends before what was consumed already.
   */
  readonly reason: 'created' | 'recreated' | 'retention' | 'truncated'
  /** Undefined: all partitions. */
  readonly partition?: number
  /** The offset that was to be read next, and the one from which reading goes on. */
  readonly from?: bigint
  readonly to?: bigint
}

export interface KafkaEventLogOptions {
  /** `host:port` of some brokers; the others are learnt from these. */
  readonly brokers: readonly string[]
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly clientId?: string
  /** Topics are `<prefix>.events` and `<prefix>.dead`. */
  readonly prefix?: string
  /** Consumer group. */
  readonly group?: string
  /** Of the topic of events; a power of two, and fixed: another count would send keys elsewhere. */
  readonly partitions?: number
  /** Of a topic that has to be created. Undefined: as the broker is configured. */
  readonly replicas?: number
  readonly security?: Pick<ConnectionOptions, 'tls' | 'sasl' | 'tlsServerName'>
  /** Called when events were lost from the log: time to replay the outbox, or to raise the epoch. */
  readonly onLost?: (loss: LogLoss) => void
  readonly tuning?: Partial<KafkaTuning>
}

export interface KafkaTuning {
  /** Events that a handler gets at once. */
  readonly batchMax: number
  /** Events of one partition that are read ahead. */
  readonly waitingMax: number
  /** Largest record, and largest batch of records, in bytes before compression: the broker's `message.max.bytes`. */
  readonly bytesMax: number
  /** A request without an answer for so long gets a connection of its own, ms. */
  readonly requestMs: number
  /** How long the broker may hold a fetch that finds nothing, ms. */
  readonly fetchWaitMs: number
  /** How long the batch at work may go on when its partition is wanted elsewhere, ms; then its handler is closed. */
  readonly drainMs: number
  /** How long closing a handler may take before its partition is given up regardless, ms. */
  readonly closeMs: number
  /** Without a word from the group for so long, nothing is written any more, ms. */
  readonly silenceMs: number
  /** A partition with room that was not read for so long: all connections are made anew, ms. */
  readonly stallMs: number
  /** Events before the committed offset that a new owner is told: so old at most, ms, and so many at most. */
  readonly pastMs: number
  readonly pastMax: number
}

const TUNING: KafkaTuning = {
  batchMax: 500,
  waitingMax: 2000,
  bytesMax: 900_000,
  requestMs: 10_000,
  fetchWaitMs: 250,
  drainMs: 5000,
  closeMs: 20_000,
  silenceMs: 60_000,
  stallMs: 20_000,
  pastMs: 20_000,
  pastMax: 2000
}

const PARTITIONS = 16

/** The options with every default in its place. */
export interface Settings extends Omit<KafkaEventLogOptions, 'tuning'> {
  readonly clientId: string
  readonly group: string
  readonly partitions: number
  readonly topic: string
  readonly deadTopic: string
  readonly onLost: (loss: LogLoss) => void
  readonly tuning: KafkaTuning
}

/** @throws RangeError when the count of partitions is not a power of two. */
export function settings(options: KafkaEventLogOptions): Settings {
  const { prefix = 'fanwise', partitions = PARTITIONS } = options
  if (!isPowerOfTwo(partitions)) {
    throw new RangeError(
      `The log needs a power of two as its count of partitions, not ${partitions}`
    )
  }
  return {
    ...options,
    clientId: options.clientId ?? 'fanwise',
    group: options.group ?? `${prefix}.fanout`,
    partitions,
    topic: `${prefix}.events`,
    deadTopic: `${prefix}.dead`,
    onLost: loss => reportLoss(options, loss),
    tuning: { ...TUNING, ...options.tuning }
  }
}

/** Whoever is told must not be able to stop the reading. */
function reportLoss({ telemetry, onLost }: KafkaEventLogOptions, loss: LogLoss): void {
  const { reason, partition, from, to } = loss
  telemetry.log(reason === 'created' ? 'info' : 'error', 'events may be missing from the log', {
    reason,
    partition,
    from: from?.toString(),
    to: to?.toString()
  })
  try {
    onLost?.(loss)
  } catch (error) {
    telemetry.log('error', 'a loss of events could not be answered', { error })
  }
}

export function isPowerOfTwo(n: number): boolean {
  return Number.isInteger(n) && n > 0 && n <= 2 ** 20 && Number.isInteger(Math.log2(n))
}
