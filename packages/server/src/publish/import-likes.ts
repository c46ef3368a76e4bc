import type { PostId } from '../domain/post-id.ts'
import type { LikedMany, LikeStore, PostStore } from '../ports/store.ts'
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

/** Likes many. What names no post any more is left out. */
export async function importLikes(
  { store }: LikesContext,
  likes: readonly ImportedLike[],
  numbers: Numbers
): Promise<LikedMany> {
  if (likes.length === 0) return { added: 0, skipped: 0 }
  const keys = likes.flatMap(like => externalKey(like, numbers))
  const found = keys.length > 0 ? await store.postsByExternalIds(keys) : []
  const byKey = new Map(keys.map((key, index) => [textOf(key), found[index] ?? null]))
  const rows = likes.flatMap(like => {
    const [key] = externalKey(like, numbers)
    const post = like.post ?? (key && byKey.get(textOf(key)))
    return post ? [{ user: numberOf(numbers, like.user), post }] : []
  })
  const { added, skipped } = await store.likeMany(rows)
  return { added, skipped: skipped + likes.length - rows.length }
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
