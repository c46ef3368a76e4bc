import type { Limits } from '../domain/limits.ts'
import { END } from '../domain/post-id.ts'
import type { Feeds, ListKey } from '../ports/feeds.ts'
import type { DeliveryStore, PostStore } from '../ports/store.ts'

export interface BackfillContext {
  readonly store: Pick<DeliveryStore, 'deliveryOf'> & Pick<PostStore, 'idsByAuthor'>
  readonly feeds: Pick<Feeds, 'lowestFloor' | 'push' | 'drop'>
  readonly limits: Pick<Limits, 'cap'>
}

/** `none`: there was nothing to do. `dropped`: it was too much, the feed is built again when it is read. */
export type Backfilled = 'none' | 'pushed' | 'dropped'

/**
 * Puts the posts of a followed author into the reader's feed, if it is warm or being built. To be called after the
 * follow is committed, never before: between the floor and the commit the feed could become warm without the author.
 * Rejects when a dependency fails; repeating it is safe.
 */
export async function backfill(
  context: BackfillContext,
  reader: number,
  author: number
): Promise<Backfilled> {
  const [state] = await context.store.deliveryOf([author])
  if (state?.delivery === 'pull') return 'none'
  return backfillPushed(context, reader, [author])
}

/** The same for authors that are known not to be in `pull`. */
export async function backfillPushed(
  context: BackfillContext,
  reader: number,
  authors: readonly number[]
): Promise<Backfilled> {
  const { store, feeds, limits } = context
  const list: ListKey = `feed:${reader}`
  const floor = await feeds.lowestFloor(list)
  if (floor === null) return 'none'
  let pushed = 0
  for (const author of authors) {
    const ids = await store.idsByAuthor(author, END, floor, limits.cap + 1, 'kept')
    if (ids.length > limits.cap) {
      await feeds.drop([list])
      return 'dropped'
    }
    // Oldest first: if the list is trimmed meanwhile, it keeps the newest.
    await feeds.push(ids.toReversed().map(id => ({ list, id, late: true })))
    pushed += ids.length
  }
  return pushed > 0 ? 'pushed' : 'none'
}
