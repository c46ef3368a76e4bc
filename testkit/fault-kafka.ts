// What operators, accidents and strangers do to the topic of events.
import { randomUUID } from 'node:crypto'
import {
  ConfigResourceTypes,
  Consumer,
  IncrementalAlterConfigOperationTypes,
  MessagesStreamModes,
  ProduceAcks,
  Producer
} from '@platformatic/kafka'
import { withAdmin } from './kafka.ts'

/** As if all records had reached the end of their retention. */
export async function deleteRecords(url: string, topic: string, partitions: number): Promise<void> {
  const ends = Array.from({ length: partitions }, (_, partition) => ({ partition, offset: -1n }))
  await withAdmin(url, admin =>
    admin.deleteRecords({ topics: [{ name: topic, partitions: ends }] })
  )
}

/** Sets the topic's own settings; an empty value takes one back. */
export async function configureTopic(
  url: string,
  topic: string,
  settings: Readonly<Record<string, string>>
): Promise<void> {
  const { SET, DELETE } = IncrementalAlterConfigOperationTypes
  const configs = Object.entries(settings).map(([name, value]) => ({
    name,
    value,
    configOperation: value === '' ? DELETE : SET
  }))
  const resource = { resourceType: ConfigResourceTypes.TOPIC, resourceName: topic, configs }
  await withAdmin(url, admin => admin.incrementalAlterConfigs({ resources: [resource] }))
}

async function withConsumer<T>(url: string, work: (consumer: Consumer) => Promise<T>): Promise<T> {
  const groupId = `reader-${randomUUID()}`
  const consumer = new Consumer({ clientId: groupId, groupId, bootstrapBrokers: url.split(',') })
  try {
    return await work(consumer)
  } finally {
    await consumer.close()
  }
}

const EARLIEST = -2n
const LATEST = -1n

/** The sum over all partitions of the first offset that can be read, or the next one that will be written. */
export function offsets(url: string, topic: string, which: 'first' | 'next'): Promise<bigint> {
  return withConsumer(url, async consumer => {
    const timestamp = which === 'first' ? EARLIEST : LATEST
    const found = (await consumer.listOffsets({ topics: [topic], timestamp })).get(topic) ?? []
    return found.reduce((sum, offset) => sum + offset, 0n)
  })
}

/** The ids of all events in the topic, as often as they are there. */
export async function eventIds(url: string, topic: string): Promise<string[]> {
  const count = Number(await offsets(url, topic, 'next'))
  return withConsumer(url, async consumer => {
    const stream = await consumer.consume({ topics: [topic], mode: MessagesStreamModes.EARLIEST })
    const ids: string[] = []
    for await (const { headers } of stream) {
      for (const [name, value] of headers) if (`${name}` === 'id') ids.push(`${value}`)
      if (ids.length >= count) break
    }
    await stream.close()
    return ids
  })
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
