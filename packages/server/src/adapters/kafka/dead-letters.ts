import type { DeadRecord } from '../../ports/event-log.ts'
import { Cluster } from './cluster.ts'
import { fetchOnce } from './fetch.ts'
import { EARLIEST, LATEST, listOffsets } from './offsets.ts'
import { type KafkaEventLogOptions, type Settings, settings } from './options.ts'
import { type Entry, header, type RawRecord } from './records.ts'
import { withAdmin } from './topics.ts'

const PREFIX = 'dead-'

/** A record as it is kept: key, value and headers as they were, and where and why. */
export function buried({ topic, deadTopic }: Settings, partition: number, entry: Entry) {
  const { key, value, headers } = entry.raw
  const empty = Buffer.alloc(0)
  const kept = new Map(headers.map(([name, text]) => [name ?? empty, text ?? empty] as const))
  const added = { reason: entry.reason, topic, partition, offset: entry.offset }
  for (const [name, text] of Object.entries(added)) {
    kept.set(Buffer.from(PREFIX + name), Buffer.from(String(text)))
  }
  return { topic: deadTopic, key: key ?? empty, value: value ?? empty, headers: kept }
}

/** The oldest dead records, at most `max`. */
export async function listDeadRecords(
  options: KafkaEventLogOptions,
  max: number
): Promise<DeadRecord[]> {
  const all = settings(options)
  await using cluster = new Cluster(all)
  const topic = await cluster.topic(all.deadTopic)
  if (topic === null) return []
  const dead = { ...all, topic: all.deadTopic }
  const [first, end] = await Promise.all(
    [EARLIEST, LATEST].map(at => listOffsets(dead, cluster, topic, [0], at))
  )
  const found: DeadRecord[] = []
  for (let position = first?.get(0) ?? 0n; found.length < max; ) {
    if (position >= (end?.get(0) ?? 0n)) break
    const read = await fetchOnce(all, cluster, topic, 0, position)
    found.push(...read.entries.map(({ offset, raw }) => deadRecord(offset, raw)))
    position = read.end
  }
  return found.slice(0, max)
}

/** Forgets the dead records up to a position, that included. */
export async function dropDeadRecords(
  options: KafkaEventLogOptions,
  position: string
): Promise<void> {
  const all = settings(options)
  const partitions = [{ partition: 0, offset: BigInt(position) + 1n }]
  await withAdmin(all, admin =>
    admin.deleteRecords({ topics: [{ name: all.deadTopic, partitions }] })
  )
}

function deadRecord(position: bigint, { key, value, headers }: RawRecord): DeadRecord {
  return {
    position: String(position),
    reason: header(headers, `${PREFIX}reason`) ?? '',
    partition: Number(header(headers, `${PREFIX}partition`)),
    offset: header(headers, `${PREFIX}offset`) ?? '',
    key: key?.toString() ?? '',
    value: value?.toString() ?? ''
  }
}
