import { BEGINNING, type PostId } from '../domain/post-id.ts'
import type { RecountStore } from '../ports/recount.ts'
import type { Telemetry } from '../ports/telemetry.ts'

export interface RecountContext {
  readonly store: Pick<RecountStore, 'recountLikes' | 'recountUsers'>
  readonly telemetry: Telemetry
}

/**
 * Compares displayed counts with the rows behind them, some posts and users a round, again and again. Counts don't
 * drift by themselves: what is corrected was changed by hand, or by a defect, and is told.
 */
export function createRecount(
  { store, telemetry }: RecountContext,
  limit: number
): () => Promise<number> {
  let post: PostId = BEGINNING
  let user = 0
  const tell = (of: 'likes' | 'users', corrected: number) => {
    if (corrected === 0) return
    telemetry.count('counts_corrected_total', corrected, { of })
    telemetry.log('warn', 'displayed counts differed from their rows and were corrected', {
      of,
      corrected
    })
  }
  return async () => {
    const likes = await store.recountLikes(post, limit)
    post = likes.next ?? BEGINNING
    tell('likes', likes.corrected)
    const users = await store.recountUsers(user, limit)
    user = users.next ?? 0
    tell('users', users.corrected)
    return 0
  }
}
