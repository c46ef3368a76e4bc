import { BACKLOG_MS } from '../domain/limits.ts'
import type { ImportedPost } from '../domain/post.ts'
import { type PostId, timeOf } from '../domain/post-id.ts'
import type { Attributes } from '../domain/user.ts'
import type { Clock } from '../ports/clock.ts'
import type { Feeds, ListKey } from '../ports/feeds.ts'
import type { IdempotencyKey, PostStore } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { attempt } from './effects.ts'
import { type Numbers, numberOf } from './import-users.ts'

export interface BatchedPost {
  readonly author: string
  readonly content: string
  readonly attrs?: Attributes
  /** Unix ms; now if absent. */
  readonly createdAt?: number
  readonly externalId?: string
}

export interface PostsContext {
  readonly store: Pick<PostStore, 'importPosts'>
  readonly feeds: Pick<Feeds, 'push' | 'drop'>
  readonly clock: Pick<Clock, 'now'>
  readonly telemetry: Telemetry
}

interface Made {
  readonly author: number
  readonly id: PostId
}

/** Stores posts with their own times and puts them into their authors' own feeds. Returns all ids, in order. */
export async function importPosts(
  context: PostsContext,
  posts: readonly BatchedPost[],
  numbers: Numbers,
  key?: IdempotencyKey
): Promise<{ readonly created: number; readonly ids: readonly PostId[] }> {
  const { store, telemetry } = context
  if (posts.length === 0) return { created: 0, ids: [] }
  const rows = posts.map(post => toRow(post, numbers))
  const results = await store.importPosts(rows, key)
  const made = rows.flatMap(({ author }, index): Made[] => {
    const result = results[index]
    return result?.created ? [{ author, id: result.id }] : []
  })
  await attempt(telemetry, 'own_push', () => fillOwnFeeds(context, made))
  return { created: made.length, ids: results.map(({ id }) => id) }
}

function toRow(post: BatchedPost, numbers: Numbers): ImportedPost {
  const { content, attrs = {}, createdAt = null, externalId = null } = post
  return { author: numberOf(numbers, post.author), content, attrs, createdAt, externalId }
}

/** Posts from a backlog would fill a feed with late ids: one drop, and the next read builds it in order. */
async function fillOwnFeeds({ feeds, clock }: PostsContext, made: readonly Made[]): Promise<void> {
  const oldest = clock.now() - BACKLOG_MS
  const own = ({ author }: Made): ListKey => `feed:${author}`
  const dropped = new Set(made.filter(({ id }) => timeOf(id) < oldest).map(own))
  const pushes = made
    .filter(post => !dropped.has(own(post)))
    .map(post => ({ list: own(post), id: post.id }))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
  if (dropped.size > 0) await feeds.drop([...dropped])
  if (pushes.length > 0) await feeds.push(pushes)
}
