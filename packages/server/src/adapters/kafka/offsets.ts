import { listOffsetsV9, offsetFetchV9 } from '@platformatic/kafka'
import type { Cluster, TopicView } from './cluster.ts'
import { answered } from './failures.ts'
import type { Settings } from './options.ts'

export const LATEST = -1n
export const EARLIEST = -2n
const NO_LEADER_EPOCH = -1
const READ_UNCOMMITTED = 0
const CLIENT = -1

/** The offset of each asked partition at a time: a Unix ms, LATEST or EARLIEST; -1 when nothing is that new. */
export async function listOffsets(
  { topic: name }: Settings,
  cluster: Cluster,
  topic: TopicView,
  partitions: readonly number[],
  timestamp: bigint
): Promise<Map<number, bigint>> {
  const byLeader = Map.groupBy(partitions, partition => topic.leaders[partition])
  const found = new Map<number, bigint>()
  const asked = [...byLeader].map(async ([leader, some]) => {
    if (leader === undefined) throw new Error(`A partition of ${name} has no leader`)
    const wanted = some.map(partitionIndex => ({
      partitionIndex,
      currentLeaderEpoch: NO_LEADER_EPOCH,
      timestamp
    }))
    const answer = await cluster.call(leader, 'offsets', connection =>
      listOffsetsV9.api.async(connection, CLIENT, READ_UNCOMMITTED, [{ name, partitions: wanted }])
    )
    for (const { partitions: told } of answer.topics) {
      for (const { partitionIndex, offset } of told) found.set(partitionIndex, offset)
    }
  })
  await Promise.all(asked)
  return found
}

/** What the group has committed of each asked partition; -1 where it has nothing. */
export async function committedOffsets(
  { group, topic: name }: Settings,
  cluster: Cluster,
  partitions: readonly number[]
): Promise<Map<number, bigint>> {
  const topics = [{ name, partitionIndexes: [...partitions] }]
  const coordinator = await cluster.coordinator()
  try {
    const answer = await cluster.call(coordinator, 'offsets', connection =>
      offsetFetchV9.api.async(
        connection,
        [{ groupId: group, memberId: null, memberEpoch: -1, topics }],
        true
      )
    )
    const told = answer.groups.flatMap(one => one.topics).flatMap(one => one.partitions)
    return new Map(told.map(one => [one.partitionIndex, one.committedOffset]))
  } catch (error) {
    if (answered(error, 'GROUP_ID_NOT_FOUND')) return new Map()
    cluster.forgetCoordinator()
    throw error
  }
}
