import type { Limits } from '../domain/limits.ts'
import type { PostId } from '../domain/post-id.ts'
import type { Clock } from '../ports/clock.ts'
import type { IdempotencyKey } from '../ports/store.ts'
import { checkBatch, type ImportBatch } from './check-batch.ts'
import { checkEntries, type EntriesContext } from './check-entries.ts'
import { type FollowsContext, importFollows } from './import-follows.ts'
import { importLikes, type LikesContext } from './import-likes.ts'
import { importPosts, type PostsContext } from './import-posts.ts'
import { importUsers, numbersOf, type UsersContext } from './import-users.ts'

export interface ImportSummary {
  /** How many of each were made. */
  readonly created: {
    readonly users: number
    readonly follows: number
    readonly posts: number
    readonly likes: number
  }
  /** How many were left out, as the rules between people want it; all others were there already. */
  readonly skipped: { readonly follows: number; readonly likes: number }
  /** The ids of `posts`, in their order. */
  readonly postIds: readonly PostId[]
}

interface CheckContext extends EntriesContext {
  readonly limits: Limits
  readonly clock: Pick<Clock, 'now'>
}

type ImportContext = UsersContext & FollowsContext & PostsContext & LikesContext & CheckContext

/**
 * Stores up to BATCH_MAX entries, one transaction for each kind. Applying a batch again changes nothing, so a batch that
 * failed half-way is repeated whole; posts without `externalId` are known again by `key` alone.
 * @throws Problem invalid_request, invalid_text, self_relation, time_out_of_range, post_not_found,
 * account_suspended, account_gone, clock_behind, unavailable
 */
export async function importBatch(
  context: ImportContext,
  batch: ImportBatch,
  key?: IdempotencyKey
): Promise<ImportSummary> {
  await checkImport(context, batch)
  return storeBatch(context, batch, key)
}

/** Before anything is stored: whatever can be known by then, so that a refused batch has changed nothing. @throws Problem */
export async function checkImport(context: CheckContext, batch: ImportBatch): Promise<void> {
  checkBatch(batch, context.limits, context.clock.now())
  await checkEntries(context, batch)
}

/** Stores a batch that was checked. @throws Problem as importBatch does, for what changed since */
export async function storeBatch(
  context: ImportContext,
  batch: ImportBatch,
  key?: IdempotencyKey
): Promise<ImportSummary> {
  const made = await importUsers(context, batch.users ?? [])
  const users = await numbersOf(context, mentioned(batch))
  const follows = await importFollows(context, batch.follows ?? [], users.numbers)
  const posts = await importPosts(context, batch.posts ?? [], users.numbers, key)
  const likes = await importLikes(context, batch.likes ?? [], users.numbers)
  const created = {
    ...{ users: made + users.created, follows: follows.added },
    ...{ posts: posts.created, likes: likes.added }
  }
  const skipped = { follows: follows.skipped, likes: likes.skipped }
  return { created, skipped, postIds: posts.ids }
}

function mentioned({ follows = [], posts = [], likes = [] }: ImportBatch): Set<string> {
  return new Set([
    ...follows.flatMap(({ follower, followee }) => [follower, followee]),
    ...posts.map(({ author }) => author),
    ...likes.flatMap(({ user, author }) => (author === undefined ? [user] : [user, author]))
  ])
}
