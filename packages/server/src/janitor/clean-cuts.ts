import type { Limits } from '../domain/limits.ts'
import type { Feeds, ListKey } from '../ports/feeds.ts'
import type { RelationStore } from '../ports/store.ts'

export interface CutsContext {
  readonly store: Pick<RelationStore, 'ripeCuts' | 'removeCut'>
  readonly feeds: Pick<Feeds, 'drop' | 'dropRules'>
  readonly limits: Pick<Limits, 'cutMs'>
}

/**
 * Forgets cuts long after the worker has seen their unfollow, when no push that knew the follower can be on its way.
 * The order matters: the feed that holds the author's ids goes first, then the cut that hid them (unless a later
 * unfollow made another), then the rules that carry it. Returns how many cuts it looked at.
 */
export async function cleanCuts(
  { store, feeds, limits }: CutsContext,
  limit: number
): Promise<number> {
  const cuts = await store.ripeCuts(limits.cutMs, limit)
  if (cuts.length === 0) return 0
  const readers = [...new Set(cuts.map(({ reader }) => reader))]
  await feeds.drop(readers.map((reader): ListKey => `feed:${reader}`))
  for (const cut of cuts) await store.removeCut(cut)
  await feeds.dropRules(readers)
  return cuts.length
}
