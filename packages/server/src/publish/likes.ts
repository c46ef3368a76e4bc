import type { PostId } from '../domain/post-id.ts'
import type { IdempotencyKey, LikeStore, Written } from '../ports/store.ts'

interface LikeContext {
  readonly store: Pick<LikeStore, 'like' | 'unlike'>
}

/** A like is a row and a delta; no feed changes. @throws Problem post_not_found, idempotency_conflict */
export function changeLike(
  context: LikeContext,
  change: 'like' | 'unlike',
  user: number,
  post: PostId,
  key?: IdempotencyKey
): Promise<Written<boolean>> {
  return context.store[change](user, post, key)
}
