// What operators, accidents and strangers do to the topic of events.
import { ProduceAcks, Producer } from '@platformatic/kafka'
import { withAdmin } from './kafka.ts'

/** As if all records had reached the end of their retention. */
export async function deleteRecords(url: string, topic: string, partitions: number): Promise<void> {
  const ends = Array.from({ length: partitions }, (_, partition) => ({ partition, offset: -1n }))
  await withAdmin(url, admin =>
    admin.deleteRecords({ topics: [{ name: topic, partitions: ends }] })
  )
}

export async function deleteTopic(url: string, topic: string): Promise<void> {
  await withAdmin(url, admin => admin.deleteTopics({ topics: [topic] }))
}

/** Writes what is no event to each partition. */
export async function sendGarbage(url: string, topic: string, partitions: number): Promise<void> {
  const producer = new Producer({ clientId: 'stranger', bootstrapBrokers: url.split(',') })
  const texts = ['no JSON', '{"type":"unheard of"}', '{"type":"post"}', '']
  try {
    await producer.send({
      acks: ProduceAcks.ALL,
      messages: Array.from({ length: partitions }, (_, partition) =>
        texts.map(text => ({ topic, partition, key: Buffer.from('x'), value: Buffer.from(text) }))
      ).flat()
    })
  } finally {
    await producer.close()
  }
}
