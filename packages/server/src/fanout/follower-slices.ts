import type { Limits } from '../domain/limits.ts'
import type { RelationStore } from '../ports/store.ts'

export interface SlicesContext {
  readonly store: Pick<RelationStore, 'followerSlice'>
  readonly limits: Pick<Limits, 'slice'>
}

/** Walks an author's followers: each call does `work` with the next slice and tells whether there are more. */
export function followerSlices(
  { store, limits }: SlicesContext,
  author: number,
  work: (followers: readonly number[]) => Promise<unknown>
): () => Promise<boolean> {
  let after = 0
  return async () => {
    const followers = await store.followerSlice(author, after, limits.slice)
    if (followers.length > 0) await work(followers)
    after = followers.at(-1) ?? after
    return followers.length === limits.slice
  }
}
