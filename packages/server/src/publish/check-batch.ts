import { Problem } from '../domain/errors.ts'
import { BATCH_MAX, type Limits } from '../domain/limits.ts'
import { isPostId } from '../domain/post-id.ts'
import { checkCreatedAt } from '../domain/post-time.ts'
import type { ImportedFollow } from './import-follows.ts'
import type { ImportedLike } from './import-likes.ts'
import type { BatchedPost } from './import-posts.ts'
import type { ImportedUser } from './import-users.ts'
import { checkPost, checkProfile, checkText } from './validate.ts'

/** Everything is named by the app's own ids; the order of work is users, follows, posts, likes. */
export interface ImportBatch {
  readonly users?: readonly ImportedUser[]
  readonly follows?: readonly ImportedFollow[]
  readonly posts?: readonly BatchedPost[]
  readonly likes?: readonly ImportedLike[]
}

/** What a batch tells by itself; `now` is Unix ms. @throws Problem */
export function checkBatch(batch: ImportBatch, limits: Limits, now: number): void {
  const { users = [], follows = [], posts = [], likes = [] } = batch
  checkSize(users.length + follows.length + posts.length + likes.length)
  for (const [index, user] of users.entries())
    checkProfile(user, limits, name => `users[${index}].${name}`)
  for (const [index, follow] of follows.entries()) checkFollow(follow, `follows[${index}]`)
  for (const [index, post] of posts.entries())
    checkBatchedPost(post, limits, now, `posts[${index}]`)
  for (const [index, like] of likes.entries()) checkLike(like, `likes[${index}]`)
}

function checkSize(size: number): void {
  if (size <= BATCH_MAX) return
  throw new Problem(
    'invalid_request',
    `The batch has ${size} entries; ${BATCH_MAX} in all are allowed. Send it in parts.`
  )
}

function checkFollow({ follower, followee }: ImportedFollow, entry: string): void {
  if (follower === followee)
    throw new Problem('self_relation', `${entry}: "${follower}" cannot follow themselves.`)
}

function checkBatchedPost(post: BatchedPost, limits: Limits, now: number, entry: string): void {
  const { content, attrs = {}, createdAt, externalId } = post
  checkPost({ content, attrs }, limits, name => `${entry}.${name}`)
  if (externalId !== undefined) checkText(externalId, `${entry}.externalId`)
  if (createdAt !== undefined) checkCreatedAt(createdAt, now, `${entry}.createdAt`)
}

function checkLike({ post, author, externalId }: ImportedLike, entry: string): void {
  if (externalId !== undefined) checkText(externalId, `${entry}.externalId`)
  const byOwn = post !== undefined && author === undefined && externalId === undefined
  const byExternal = post === undefined && author !== undefined && externalId !== undefined
  if (!byOwn && !byExternal)
    throw new Problem(
      'invalid_request',
      `${entry} must have either post, or author and externalId.`
    )
  if (byOwn && !isPostId(post)) throw new Problem('post_not_found', `${entry} names no post.`)
}
