import type { DeadRecord } from '../../ports/event-log.ts'
import { Cluster, type TopicView } from './cluster.ts'
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
  const end = await offsetAt(all, cluster, topic, LATEST)
  const from = await offsetAt(all, cluster, topic, EARLIEST)
  const read = (position: bigint) => fetchOnce(all, cluster, topic, 0, position)
  const entries = await readUpTo({ from, end, max }, read)
  return entries.map(({ offset, raw }) => deadRecord(offset, raw))
}

/** At most `max` of what lies before `end`. A read that gets no further is the last: there may be no record up to `end`. */
export async function readUpTo<T>(
  { from, end, max }: { readonly from: bigint; readonly end: bigint; readonly max: number },
  read: (position: bigint) => Promise<{ readonly entries: readonly T[]; readonly end: bigint }>
): Promise<T[]> {
  const found: T[] = []
  for (let position = from; position < end && found.length < max; ) {
    const next = await read(position)
    found.push(...next.entries)
    if (next.end === position) break
    position = next.end
  }
  return found.slice(0, max)
}

/** Forgets the dead records up to a position, that included; all, if none lies there yet. */
export async function dropDeadRecords(
  options: KafkaEventLogOptions,
  position: string
): Promise<void> {
  const all = settings(options)
  await using cluster = new Cluster(all)
  const topic = await cluster.topic(all.deadTopic)
  if (topic === null) return
  const end = await offsetAt(all, cluster, topic, LATEST)
  const behind = BigInt(position) + 1n
  const partitions = [{ partition: 0, offset: behind < end ? behind : end }]
  await withAdmin(all, admin =>
    admin.deleteRecords({ topics: [{ name: all.deadTopic, partitions }] })
  )
}

async function offsetAt(
  all: Settings,
  cluster: Cluster,
  topic: TopicView,
  at: bigint
): Promise<bigint> {
  const offsets = await listOffsets({ ...all, topic: all.deadTopic }, cluster, topic, [0], at)
  return offsets.get(0) ?? 0n
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
