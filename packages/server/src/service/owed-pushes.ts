import type { PostId } from '../domain/post-id.ts'
import type { Feeds } from '../ports/feeds.ts'

/** Of so many authors own posts are remembered; beyond, only the worker pushes them. */
const AUTHORS_MAX = 100_000

/**
 * Own posts that could not be pushed before their 201: until they are, their author's pages come from the Store, for
 * the warm list may lack them. What another process owes is not known here; the worker pushes that too.
 */
export interface OwedPushes {
  add(author: number, id: PostId): void
  /** Whether something is owed now. Then it is pushed in the background. */
  owes(author: number): boolean
}

export function createOwedPushes(feeds: Pick<Feeds, 'push'>): OwedPushes {
  const owed = new Map<number, Set<PostId>>()
  const paying = new Set<number>()
  async function pay(author: number, ids: Set<PostId>): Promise<void> {
    const now = [...ids]
    paying.add(author)
    try {
      await feeds.push(now.map(id => ({ list: `feed:${author}`, id })))
      for (const id of now) ids.delete(id)
      if (ids.size === 0) owed.delete(author)
    } catch {
      // Feeds are still away; the next page tries again.
    } finally {
      paying.delete(author)
    }
  }
  return {
    add(author, id) {
      const ids = owed.get(author) ?? new Set()
      if (owed.size < AUTHORS_MAX || owed.has(author)) owed.set(author, ids.add(id))
    },
    owes(author) {
      const ids = owed.get(author)
      if (ids === undefined) return false
      if (!paying.has(author)) void pay(author, ids)
      return true
    }
  }
}
