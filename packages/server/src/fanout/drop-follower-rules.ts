import type { Limits } from '../domain/limits.ts'
import type { Feeds } from '../ports/feeds.ts'
import type { RelationStore } from '../ports/store.ts'
import { followerSlices } from './follower-slices.ts'
import { inTurns } from './in-turns.ts'

export interface DropRulesContext {
  readonly store: Pick<RelationStore, 'followerSlice'>
  readonly feeds: Pick<Feeds, 'dropRules'>
  readonly limits: Pick<Limits, 'slice'>
}

/**
 * Drops the cached rules of all of an author's followers. Who follows meanwhile is not missed: a follow drops the
 * reader's rules itself, after its commit.
 */
export async function dropFollowerRules(context: DropRulesContext, author: number): Promise<void> {
  const drop = (readers: readonly number[]) => context.feeds.dropRules(readers)
  await inTurns([followerSlices(context, author, drop)], 1)
}
