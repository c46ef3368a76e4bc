import type { PostId } from '../domain/post-id.ts'
import type { Store } from '../ports/store.ts'
import type { CachedAuthor, CachedPost, Caches } from './caches.ts'
import { joinPost } from './present.ts'
import { reachStore } from './reach.ts'

/** A post that may be shown, as far as post and author decide. */
export interface Hydrated {
  readonly id: PostId
  readonly post: CachedPost
  readonly author: CachedAuthor
}

/** What the reader's rules let through: by id before anything is loaded, by author before authors are loaded. */
export interface Filter {
  readonly post: (id: PostId) => boolean
  readonly author: (author: number) => boolean
  /** Those of some private authors whose posts the reader may see. */
  readonly followed: (authors: readonly number[]) => Promise<ReadonlySet<number>>
}

/**
 * The posts behind ids, in their order, without those that are gone, deleted, filtered, or whose author is suspended,
 * gone, or private to the reader. Two batches at most, and one question about private authors. @throws Problem unavailable
 */
export async function hydrate(
  caches: Caches,
  ids: readonly PostId[],
  filter: Filter
): Promise<Hydrated[]> {
  const wanted = ids.filter(filter.post)
  const posts = await reachStore(() => caches.posts.getMany(wanted))
  const live = wanted.flatMap(id => {
    const post = posts.get(id)
    return post && !post.deleted && filter.author(post.author) ? [{ id, post }] : []
  })
  const numbers = [...new Set(live.map(({ post }) => post.author))]
  const authors = await reachStore(() => caches.authors.getMany(numbers))
  const hidden = numbers.filter(author => authors.get(author)?.isPrivate)
  const followed = hidden.length > 0 ? await filter.followed(hidden) : new Set()
  return live.flatMap(({ id, post }) => {
    const author = authors.get(post.author)
    if (!author?.active || (author.isPrivate && !followed.has(post.author))) return []
    return [{ id, post, author }]
  })
}

/** Adds counts and how the viewer stands to each post: its JSON bytes, in the order given. @throws Problem unavailable */
export async function present(
  context: { readonly store: Pick<Store, 'likedBy'>; readonly caches: Caches },
  viewer: number,
  posts: readonly Hydrated[]
): Promise<Uint8Array[]> {
  if (posts.length === 0) return []
  const ids = posts.map(({ id }) => id)
  const [likes, likedIds] = await reachStore(() =>
    Promise.all([context.caches.likes.getMany(ids), context.store.likedBy(viewer, ids)])
  )
  const liked = new Set(likedIds)
  return posts.map(({ id, post, author }) =>
    joinPost({
      id,
      author: author.json,
      rest: post.body,
      likes: likes.get(id) ?? 0,
      liked: liked.has(id)
    })
  )
}
