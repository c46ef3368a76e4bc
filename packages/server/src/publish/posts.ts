import type { Limits } from '../domain/limits.ts'
import type { NewPost, Post, PostChange } from '../domain/post.ts'
import type { PostId } from '../domain/post-id.ts'
import type { Feeds } from '../ports/feeds.ts'
import type { IdempotencyKey, PostStore, Published, Written } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { attempt, insist } from './effects.ts'
import { checkPost, checkPostChange } from './validate.ts'

interface CreateContext {
  readonly store: Pick<PostStore, 'publish'>
  readonly feeds: Pick<Feeds, 'push'>
  readonly limits: Limits
  readonly telemetry: Telemetry
  /** Told of own posts that could not be pushed. */
  readonly owed?: { add(author: number, id: PostId): void }
}

/**
 * Stores a post and puts it into its author's own feed. Everybody else's feed is the worker's task. The push is done
 * again for a replayed write: the process that stored it may have died before.
 * @throws Problem invalid_text, invalid_request, idempotency_conflict, clock_behind
 */
export async function createPost(
  context: CreateContext,
  post: NewPost,
  key?: IdempotencyKey
): Promise<Written<Published>> {
  const { store, feeds, limits, telemetry, owed } = context
  checkPost(post, limits)
  const written = await store.publish(post, key)
  const { id, author } = written.value.post
  const push = () => feeds.push([{ list: `feed:${author}`, id }])
  if (!(await attempt(telemetry, 'own_push', push))) owed?.add(author, id)
  return written
}

interface EditContext {
  readonly store: Pick<PostStore, 'editPost'>
  readonly feeds: Pick<Feeds, 'announce'>
  readonly limits: Limits
  readonly telemetry: Telemetry
}

/** @throws Problem invalid_text, invalid_request, idempotency_conflict, post_not_found, not_author */
export async function editPost(
  context: EditContext,
  author: number,
  id: PostId,
  change: PostChange,
  key?: IdempotencyKey
): Promise<Written<Post>> {
  const { store, feeds, limits, telemetry } = context
  checkPostChange(change, limits)
  const written = await store.editPost(author, id, change, key)
  await attempt(telemetry, 'announce', () => feeds.announce({ posts: [id] }))
  return written
}

interface DeleteContext {
  readonly store: Pick<PostStore, 'deletePost'>
  readonly feeds: Pick<Feeds, 'announce'>
}

/** @throws Problem idempotency_conflict, post_not_found, not_author, unavailable (stored; repeatable) */
export async function deletePost(
  context: DeleteContext,
  author: number,
  id: PostId,
  key?: IdempotencyKey
): Promise<Written<null>> {
  const written = await context.store.deletePost(author, id, key)
  await insist('telling all servers', () => context.feeds.announce({ posts: [id] }))
  return written
}
