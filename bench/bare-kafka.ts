import {
  CompressionAlgorithms,
  Consumer,
  MessagesStreamModes,
  ProduceAcks,
  Producer
} from '@platformatic/kafka'
import { partitionOf } from '../packages/server/src/adapters/kafka/murmur2.ts'
import { encode } from '../packages/server/src/adapters/kafka/records.ts'
import { eventKey, type LoggedEvent } from '../packages/server/src/domain/event.ts'
import { withAdmin } from '../testkit/kafka.ts'

const PARTITIONS = 16
/** Records of one request, as many as the server sends at most. */
const ROUND = 2000

/** The client alone: it sends and reads what the server would, and does nothing else. */
export interface BareKafka {
  /** Sends in rounds, each when the one before is acknowledged. */
  send(events: readonly LoggedEvent[]): Promise<void>
}

/** `onRead` is called with the count of each arrival, and the ids of the outbox rows. */
export async function openBareKafka(
  parts: AsyncDisposableStack,
  broker: string,
  topic: string,
  onRead: (id: string) => void
): Promise<BareKafka> {
  await withAdmin(broker, admin =>
    admin.createTopics({ topics: [topic], partitions: PARTITIONS, replicas: 1 })
  )
  const shared = { clientId: 'bench', bootstrapBrokers: [broker] }
  const producer = new Producer({
    ...shared,
    ...{ acks: ProduceAcks.ALL, idempotent: true, compression: CompressionAlgorithms.ZSTD }
  })
  parts.defer(() => producer.close())
  const consumer = new Consumer({ ...shared, groupId: `${topic}.readers`, maxWaitTime: 250 })
  parts.defer(() => consumer.close(true))
  const stream = await consumer.consume({ topics: [topic], mode: MessagesStreamModes.EARLIEST })
  stream.on('data', ({ headers }) => onRead(idOf(headers)))
  return {
    async send(events) {
      for (let at = 0; at < events.length; at += ROUND) {
        const messages = events.slice(at, at + ROUND).map(event => ({
          ...{ topic, partition: partitionOf(String(eventKey(event.event)), PARTITIONS) },
          ...encode(event)
        }))
        await producer.send({ messages })
      }
    }
  }
}

const ID = Buffer.from('id')

function idOf(headers: ReadonlyMap<Buffer, Buffer>): string {
  for (const [name, value] of headers) if (name.equals(ID)) return value.toString()
  return ''
}
