import type { Post } from '../domain/post.ts'
import type { PostId } from '../domain/post-id.ts'
import type { User } from '../domain/user.ts'
import { createBatchCache } from '../lib/batch-cache.ts'
import type { Clock } from '../ports/clock.ts'
import type { Feeds } from '../ports/feeds.ts'
import type { Store } from '../ports/store.ts'
import { presentAuthor, presentBody } from './present.ts'

const POSTS_MAX = 200_000
const POSTS_BYTES = 64 * 2 ** 20
const AUTHORS_MAX = 100_000
const AUTHORS_BYTES = 32 * 2 ** 20
const COUNTS_MAX = 200_000
const COUNTS_TTL_MS = 1000
/** Of an entry beside its JSON: its objects, and its place in the cache. */
const ENTRY_BYTES = 300

/** A post as the process keeps it: what is needed to filter it, and its JSON bytes. */
export interface CachedPost {
  readonly author: number
  readonly deleted: boolean
  readonly body: Uint8Array
}

export interface CachedAuthor {
  readonly active: boolean
  readonly isPrivate: boolean
  readonly json: Uint8Array
}

function cachePost(post: Post): CachedPost {
  return { author: post.author, deleted: post.deleted, body: presentBody(post) }
}

function cacheAuthor(user: User): CachedAuthor {
  const { status, visibility } = user
  return {
    active: status === 'active',
    isPrivate: visibility === 'private',
    json: presentAuthor(user)
  }
}

/**
 * What pages are made of, kept in the process. Whoever changes a post or user announces it after the commit and before
 * the answer; forgetting also detaches loads at work, so a page that begins after the answer never sees what was
 * loaded before the change.
 */
export function createCaches(context: {
  readonly store: Pick<Store, 'postsByIds' | 'usersByNumbers' | 'likeCounts'>
  readonly feeds: Pick<Feeds, 'subscribe' | 'inStep'>
  readonly clock: Clock
}) {
  const { store, feeds, clock } = context
  const now = () => clock.monotonic()
  const usable = () => feeds.inStep()
  const posts = createBatchCache<PostId, CachedPost>({
    load: async ids =>
      new Map((await store.postsByIds(ids)).map(post => [post.id, cachePost(post)])),
    max: POSTS_MAX,
    maxBytes: POSTS_BYTES,
    size: post => post.body.length + ENTRY_BYTES,
    now,
    usable
  })
  const authors = createBatchCache<number, CachedAuthor>({
    load: async numbers =>
      new Map((await store.usersByNumbers(numbers)).map(user => [user.number, cacheAuthor(user)])),
    max: AUTHORS_MAX,
    maxBytes: AUTHORS_BYTES,
    size: author => author.json.length + ENTRY_BYTES,
    now,
    usable
  })
  const likes = createBatchCache<PostId, number>({
    load: async ids => {
      const counts = await store.likeCounts(ids)
      return new Map(ids.map(id => [id, counts.get(id) ?? 0]))
    },
    max: COUNTS_MAX,
    ttlMs: COUNTS_TTL_MS,
    now
  })
  feeds.subscribe(change => {
    if (change.everything) for (const cache of [posts, authors]) cache.clear()
    posts.forget(change.posts ?? [])
    authors.forget(change.users ?? [])
  })
  return { posts, authors, likes }
}

export type Caches = ReturnType<typeof createCaches>
