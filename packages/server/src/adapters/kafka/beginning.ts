import type { LoggedEvent } from '../../domain/event.ts'
import type { Cluster, TopicView } from './cluster.ts'
import { fetchOnce } from './fetch.ts'
import { committedOffsets, EARLIEST, LATEST, listOffsets } from './offsets.ts'
import type { Settings } from './options.ts'
import type { Beginning } from './partition.ts'
import type { Entry } from './records.ts'

/**
 * Reads where a partition begins: the events of the last seconds before the committed offset, and those behind it that
 * a predecessor may have had in work: a batch whose commit was under way, and the next.
 */
export async function beginning(
  settings: Settings,
  cluster: Cluster,
  topic: TopicView,
  partition: number
): Promise<Beginning> {
  const { clock, tuning } = settings
  const since = BigInt(Math.floor(clock.now() - tuning.pastMs))
  const [first, end, recent, committed] = await Promise.all([
    offsetAt(settings, cluster, topic, partition, EARLIEST),
    offsetAt(settings, cluster, topic, partition, LATEST),
    offsetAt(settings, cluster, topic, partition, since),
    committedOffsets(settings, cluster, [partition])
  ])
  const told = committed.get(partition) ?? -1n
  const start = told < 0n ? first : told
  // Outside of what the log holds: the ordinary reading finds out and reports it.
  if (start < first || start > end)
    return { past: { done: [], ahead: [] }, entries: [], position: start }
  const from = max(first, start - BigInt(tuning.pastMax), recent < 0n ? start : min(recent, start))
  const until = min(end, start + BigInt(2 * tuning.batchMax))
  const { entries, position } = await read(settings, cluster, topic, partition, from, until)
  const done = events(entries.filter(({ offset }) => offset < start))
  const next = entries.filter(({ offset }) => offset >= start)
  // Without a commit there was no predecessor.
  const ahead = told < 0n ? [] : events(next).slice(0, 2 * tuning.batchMax)
  return { past: { done, ahead }, entries: next, position: max(position, start) }
}

async function read(
  settings: Settings,
  cluster: Cluster,
  topic: TopicView,
  partition: number,
  from: bigint,
  until: bigint
): Promise<{ entries: Entry[]; position: bigint }> {
  const entries: Entry[] = []
  let position = from
  while (position < until) {
    const found = await fetchOnce(settings, cluster, topic, partition, position)
    if (found.end === position) break
    entries.push(...found.entries)
    position = found.end
  }
  return { entries, position }
}

async function offsetAt(
  settings: Settings,
  cluster: Cluster,
  topic: TopicView,
  partition: number,
  timestamp: bigint
): Promise<bigint> {
  const found = await listOffsets(settings, cluster, topic, [partition], timestamp)
  return found.get(partition) ?? -1n
}

function events(entries: readonly Entry[]): LoggedEvent[] {
  return entries.flatMap(({ event }) => (event === null ? [] : [event]))
}

function max(...values: readonly bigint[]): bigint {
  return values.toSorted((a, b) => (a === b ? 0 : a < b ? -1 : 1)).at(-1) ?? 0n
}

function min(a: bigint, b: bigint): bigint {
  return a > b ? b : a
}
