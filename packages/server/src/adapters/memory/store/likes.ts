import type { Post } from '../../../domain/post.ts'
import type { PostId } from '../../../domain/post-id.ts'
import type { IdempotencyKey, LikedMany, LikeStore, Written } from '../../../ports/store.ts'
import { type Context, isActive, mayWrite } from './context.ts'
import { mustBeLive } from './rules.ts'
import { type Tables, toggle } from './tables.ts'
import type { Transaction } from './transactions.ts'

interface Like {
  readonly user: number
  readonly post: PostId
}

export function likeLock({ user, post }: Like): string {
  return `like ${user} ${post}`
}

/** Returns whether it changed anything. */
export function setLike({ tables }: Context, tx: Transaction, like: Like, on: boolean): boolean {
  const { user, post } = like
  if ((tables.likes.get(user)?.has(post) ?? false) === on) return false
  tx.change(() => {
    toggle(tables.likes, user, post, on)
    tables.likeDeltas.add({ post, by: on ? 1 : -1 })
  })
  return true
}

function likeMany(context: Context, tx: Transaction, likes: readonly Like[]): LikedMany {
  const { tables } = context
  const distinct = new Map(likes.map(like => [likeLock(like), like]))
  const fit = [...distinct.values()].filter(
    ({ user, post }) => isActive(tables, user) && maySee(tables, user, tables.posts.get(post))
  )
  const added = fit.filter(like => setLike(context, tx, like, true)).length
  return { added, skipped: distinct.size - fit.length }
}

function maySee(tables: Tables, user: number, post: Post | undefined): boolean {
  if (post === undefined || post.deleted || !isActive(tables, post.author)) return false
  const { author } = post
  if (tables.blocks.has(user, author) || tables.blocks.has(author, user)) return false
  const isPublic = tables.users.get(author)?.visibility === 'public'
  return isPublic || user === author || tables.follows.has(user, author)
}

/** Each delta counts exactly once: it is taken out and added up in the same commit. */
function flush(tables: Tables, tx: Transaction, limit: number): number {
  const likes = [...tables.likeDeltas].slice(0, limit)
  const users = [...tables.userDeltas].slice(0, limit)
  for (const delta of likes) {
    tx.change(() => {
      tables.likeDeltas.delete(delta)
      tables.likeCounts.set(delta.post, (tables.likeCounts.get(delta.post) ?? 0) + delta.by)
    })
  }
  for (const delta of users) {
    tx.change(() => {
      tables.userDeltas.delete(delta)
      const { followers = 0, following = 0, posts = 0 } = tables.userCounts.get(delta.user) ?? {}
      tables.userCounts.set(delta.user, {
        followers: followers + (delta.followers ?? 0),
        following: following + (delta.following ?? 0),
        posts: posts + (delta.posts ?? 0)
      })
    })
  }
  return likes.length + users.length
}

export function likes(context: Context): LikeStore {
  const { tables, transactions } = context
  function liking(on: boolean) {
    return (user: number, post: PostId, key?: IdempotencyKey): Promise<Written<boolean>> =>
      transactions.write(key, [likeLock({ user, post })], tx => {
        mayWrite(tables, user)
        if (on) mustBeLive(tables, post)
        return setLike(context, tx, { user, post }, on)
      })
  }
  return {
    like: liking(true),
    unlike: liking(false),
    likeMany: likes => transactions.run(likes.map(likeLock), tx => likeMany(context, tx, likes)),
    likedBy: async (user, posts) => posts.filter(post => tables.likes.get(user)?.has(post)),
    likeCounts: async posts =>
      new Map(
        posts
          .filter(post => tables.likeCounts.has(post))
          .map(post => [post, Math.max(tables.likeCounts.get(post) ?? 0, 0)])
      ),
    flushCounts: limit => transactions.run(['flush'], tx => flush(tables, tx, limit))
  }
}
