import type { PostId } from '../../../domain/post-id.ts'
import type { UserCounts } from '../../../domain/user.ts'
import type { Recounted, RecountStore } from '../../../ports/store.ts'
import type { Context } from './context.ts'
import type { Tables } from './tables.ts'
import type { Transaction } from './transactions.ts'

/** What is displayed when all is right: the rows less the deltas that wait. */
function likesOf(tables: Tables, post: PostId): number {
  let likes = 0
  for (const posts of tables.likes.values()) if (posts.has(post)) likes++
  for (const delta of tables.likeDeltas) if (delta.post === post) likes -= delta.by
  return likes
}

function countsOf(tables: Tables, user: number): UserCounts {
  const counts = {
    followers: tables.follows.to(user).size,
    following: tables.follows.from(user).size,
    posts: tables.timelines.get(user)?.length ?? 0
  }
  for (const delta of tables.userDeltas) {
    if (delta.user !== user) continue
    counts.followers -= delta.followers ?? 0
    counts.following -= delta.following ?? 0
    counts.posts -= delta.posts ?? 0
  }
  return counts
}

function correctLikes(tables: Tables, tx: Transaction, post: PostId): boolean {
  const likes = likesOf(tables, post)
  if (likes === (tables.likeCounts.get(post) ?? 0)) return false
  tx.change(() => tables.likeCounts.set(post, likes))
  return true
}

function correctUser(tables: Tables, tx: Transaction, user: number): boolean {
  const counts = countsOf(tables, user)
  const shown = tables.userCounts.get(user)
  const isRight = (['followers', 'following', 'posts'] as const).every(
    name => counts[name] === (shown?.[name] ?? 0)
  )
  if (!isRight) tx.change(() => tables.userCounts.set(user, counts))
  return !isRight
}

/** No flush comes between, as both hold its lock. */
export function recounts({ tables, transactions }: Context): RecountStore {
  function step<P>(
    found: readonly P[],
    limit: number,
    correct: (tables: Tables, tx: Transaction, position: P) => boolean
  ): Promise<Recounted<P>> {
    const batch = found.slice(0, limit)
    return transactions.run(['flush'], tx => ({
      corrected: batch.filter(position => correct(tables, tx, position)).length,
      next: found.length > limit ? (batch.at(-1) ?? null) : null
    }))
  }
  return {
    recountLikes(after, limit) {
      const posts = [...tables.posts.keys()].filter(post => post > after).sort()
      return step(posts, limit, correctLikes)
    },
    recountUsers(after, limit) {
      const users = [...tables.users.keys()].filter(user => user > after).sort((a, b) => a - b)
      return step(users, limit, correctUser)
    }
  }
}
