import type { PostId } from '../../../domain/post-id.ts'
import type { UserCounts } from '../../../domain/user.ts'
import type { Recounted, RecountStore, WrongCount } from '../../../ports/recount.ts'
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
  if (wrongLikes(tables, post).length === 0) return false
  const likes = likesOf(tables, post)
  tx.change(() => tables.likeCounts.set(post, likes))
  return true
}

function correctUser(tables: Tables, tx: Transaction, user: number): boolean {
  if (wrongOfUser(tables, user).length === 0) return false
  const counts = countsOf(tables, user)
  tx.change(() => tables.userCounts.set(user, counts))
  return true
}

const NAMES = ['followers', 'following', 'posts'] as const

function wrongOfUser(tables: Tables, user: number): WrongCount[] {
  const counts = countsOf(tables, user)
  const shown = tables.userCounts.get(user)
  return NAMES.filter(of => counts[of] !== (shown?.[of] ?? 0)).map(of => ({
    ...{ of, user, post: null },
    ...{ shown: shown?.[of] ?? 0, counted: counts[of] }
  }))
}

function wrongLikes(tables: Tables, post: PostId): WrongCount[] {
  const counted = likesOf(tables, post)
  const shown = tables.likeCounts.get(post) ?? 0
  return counted === shown ? [] : [{ of: 'likes', user: null, post, shown, counted }]
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
    },
    recountThese: (users, posts) =>
      transactions.run(['flush'], tx => {
        const ofUsers = users.filter(
          user => tables.users.has(user) && correctUser(tables, tx, user)
        )
        const ofPosts = posts.filter(id => tables.posts.has(id) && correctLikes(tables, tx, id))
        return ofUsers.length + ofPosts.length
      }),
    wrongCounts: async (users, posts) => [
      ...users.filter(user => tables.users.has(user)).flatMap(user => wrongOfUser(tables, user)),
      ...posts.filter(id => tables.posts.has(id)).flatMap(id => wrongLikes(tables, id))
    ]
  }
}
