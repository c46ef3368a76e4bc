import type { Limits } from '../domain/limits.ts'
import type { PostId } from '../domain/post-id.ts'
import type { IdempotencyKey } from '../ports/store.ts'
import { checkBatch, type ImportBatch } from './check-batch.ts'
import { type FollowsContext, importFollows } from './import-follows.ts'
import { importLikes, type LikesContext } from './import-likes.ts'
import { importPosts, type PostsContext } from './import-posts.ts'
import { importUsers, numbersOf, type UsersContext } from './import-users.ts'

export interface ImportSummary {
  /** How many of each were made; the others were there already. */
  readonly created: {
    readonly users: number
    readonly follows: number
    readonly posts: number
    readonly likes: number
  }
  /** The ids of `posts`, in their order. */
  readonly postIds: readonly PostId[]
}

type ImportContext = UsersContext &
  FollowsContext &
  PostsContext &
  LikesContext & { readonly limits: Limits }

/**
 * Stores up to BATCH_MAX entries, one transaction for each kind. Applying a batch again changes nothing, so a batch that
 * failed half-way is repeated whole; posts without `externalId` are known again by `key` alone.
 * @throws Problem invalid_request, invalid_text, self_relation, time_out_of_range, post_not_found, account_gone, unavailable
 */
export async function importBatch(
  context: ImportContext,
  batch: ImportBatch,
  key?: IdempotencyKey
): Promise<ImportSummary> {
  checkBatch(batch, context.limits)
  const made = await importUsers(context, batch.users ?? [])
  const users = await numbersOf(context, mentioned(batch))
  const follows = await importFollows(context, batch.follows ?? [], users.numbers)
  const posts = await importPosts(context, batch.posts ?? [], users.numbers, key)
  const likes = await importLikes(context, batch.likes ?? [], users.numbers)
  const created = { users: made + users.created, follows, posts: posts.created, likes }
  return { created, postIds: posts.ids }
}

function mentioned({ follows = [], posts = [], likes = [] }: ImportBatch): Set<string> {
  return new Set([
    ...follows.flatMap(({ follower, followee }) => [follower, followee]),
    ...posts.map(({ author }) => author),
    ...likes.flatMap(({ user, author }) => (author === undefined ? [user] : [user, author]))
  ])
}
