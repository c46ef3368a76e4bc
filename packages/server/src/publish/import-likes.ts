import { Problem } from '../domain/errors.ts'
import type { PostId } from '../domain/post-id.ts'
import type { LikeStore, PostStore } from '../ports/store.ts'
import { type Numbers, numberOf } from './import-users.ts'

/** The post by its id, or by its author and the app's own id of it. */
export interface ImportedLike {
  readonly user: string
  readonly post?: PostId
  readonly author?: string
  readonly externalId?: string
}

export interface LikesContext {
  readonly store: Pick<LikeStore, 'likeMany'> & Pick<PostStore, 'postsByExternalIds'>
}

/** Likes many; returns how many are new. @throws Problem post_not_found */
export async function importLikes(
  { store }: LikesContext,
  likes: readonly ImportedLike[],
  numbers: Numbers
): Promise<number> {
  if (likes.length === 0) return 0
  const keys = likes.flatMap(like => externalKey(like, numbers))
  const found = keys.length > 0 ? await store.postsByExternalIds(keys) : []
  const byKey = new Map(keys.map((key, index) => [textOf(key), found[index] ?? null]))
  const rows = likes.map((like, index) => {
    const [key] = externalKey(like, numbers)
    const post = like.post ?? (key && byKey.get(textOf(key)))
    if (!post) throw new Problem('post_not_found', `likes[${index}] names no post.`)
    return { user: numberOf(numbers, like.user), post }
  })
  return store.likeMany(rows)
}

interface ExternalKey {
  readonly author: number
  readonly externalId: string
}

/** Empty when the like names the post by its id. */
function externalKey({ post, author, externalId }: ImportedLike, numbers: Numbers): ExternalKey[] {
  if (post !== undefined || author === undefined || externalId === undefined) return []
  return [{ author: numberOf(numbers, author), externalId }]
}

function textOf({ author, externalId }: ExternalKey): string {
  return `${author} ${externalId}`
}
