import type { Limits } from '../domain/limits.ts'
import type { Feeds, ListKey } from '../ports/feeds.ts'
import type { RelationStore } from '../ports/store.ts'

export interface DropFeedsContext {
  readonly store: Pick<RelationStore, 'followerSlice'>
  readonly feeds: Pick<Feeds, 'drop'>
  readonly limits: Pick<Limits, 'slice'>
}

/** Drops an author's own feed and those of all followers; each is built again when it is read. */
export async function dropFeeds(
  { store, feeds, limits }: DropFeedsContext,
  author: number
): Promise<void> {
  let readers: readonly number[] = [author]
  let after = 0
  while (readers.length > 0) {
    await feeds.drop(readers.map((reader): ListKey => `feed:${reader}`))
    readers = await store.followerSlice(author, after, limits.slice)
    after = readers.at(-1) ?? after
  }
}
