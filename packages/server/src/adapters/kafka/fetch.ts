import { fetchV17 } from '@platformatic/kafka'
import type { Address, Cluster, TopicView } from './cluster.ts'
import { withErrors } from './failures.ts'
import type { Settings } from './options.ts'
import { type Entry, endOf, entriesOf } from './records.ts'

const PARTITION_BYTES = 1 << 18
const REQUEST_BYTES = 16 << 20
const READ_UNCOMMITTED = 0
const NO_SESSION = 0
/** The epoch of a fetch without a session. */
const FINAL_EPOCH = -1
const NO_LEADER_EPOCH = -1

export interface Wanted {
  readonly partition: number
  readonly position: bigint
}

/** What a broker holds of some partitions of a topic; each may have failed by itself. Waits when it has nothing. */
export async function fetchFrom(
  { tuning }: Settings,
  cluster: Cluster,
  { topicId, leader }: { readonly topicId: string; readonly leader: Address },
  wanted: readonly Wanted[],
  waitMs = tuning.fetchWaitMs
): Promise<readonly fetchV17.FetchResponsePartition[]> {
  const partitions = wanted.map(({ partition, position }) => ({
    partition,
    currentLeaderEpoch: NO_LEADER_EPOCH,
    fetchOffset: position,
    lastFetchedEpoch: NO_LEADER_EPOCH,
    partitionMaxBytes: PARTITION_BYTES
  }))
  const answer = await cluster.call(leader, 'fetch', connection =>
    withErrors(
      fetchV17.api.async(
        connection,
        ...([waitMs, 1, REQUEST_BYTES, READ_UNCOMMITTED, NO_SESSION, FINAL_EPOCH] as const),
        [{ topicId, partitions }],
        [],
        ''
      )
    )
  )
  return answer.responses.flatMap(response => response.partitions)
}

/** Records of one partition from `position` on; `end` is where to go on. @throws when the broker refuses. */
export async function fetchOnce(
  settings: Settings,
  cluster: Cluster,
  topic: TopicView,
  partition: number,
  position: bigint
): Promise<{ readonly entries: readonly Entry[]; readonly end: bigint }> {
  const leader = topic.leaders[partition]
  if (leader === undefined) throw new Error(`Partition ${partition} has no leader`)
  const source = { topicId: topic.id, leader }
  const found = await fetchFrom(settings, cluster, source, [{ partition, position }], 0)
  const [one] = found
  if (one === undefined || one.errorCode !== 0) {
    throw new Error(`Reading partition ${partition} at ${position}: error ${one?.errorCode}`)
  }
  const records = one.records ?? []
  return { entries: entriesOf(records, position), end: endOf(records, position) }
}
