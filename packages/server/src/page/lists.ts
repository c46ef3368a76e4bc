import type { PostId } from '../domain/post-id.ts'
import type { Feeds, ListKey, Taken } from '../ports/feeds.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { reachFeeds } from './reach.ts'

export interface ListContext {
  readonly feeds: Pick<Feeds, 'take'>
  readonly telemetry: Telemetry
  /** Starts a builder of a cold list, in the background. */
  readonly requestBuild: (list: ListKey) => void
  /** Puts late ids of a list in place, in the background. */
  readonly requestSettle: (list: ListKey) => void
}

/** What a warm list has, or null: it is cold, being built, or Feeds fail. Then the Store has to be read. */
export async function takeWarm(
  context: ListContext,
  list: ListKey,
  below: PostId,
  limit: number
): Promise<Taken | null> {
  const taken = await reachFeeds(context.telemetry, () => context.feeds.take(list, below, limit))
  if (taken === null) return null
  if (taken.state === 'cold') context.requestBuild(list)
  if (taken.state !== 'warm') return null
  if (taken.unsettled) context.requestSettle(list)
  return taken
}

/** The bound to read on with where a list that is complete above `floor` ends: everything at or below the floor. */
export function belowFloor(floor: PostId, below: PostId): PostId {
  return floor < below ? (BigInt(floor) + 1n).toString() : below
}
