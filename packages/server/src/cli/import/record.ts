import type { BatchLike, BatchPost, ProfileChange, UserId } from '@fanwise/sdk'
import { isUserId } from '../../domain/user.ts'

/** One thing to import. */
export type ImportRecord = Origin &
  (
    | { readonly kind: 'user'; readonly value: ProfileChange & { readonly id: UserId } }
    | {
        readonly kind: 'follow'
        readonly value: { readonly follower: UserId; readonly followee: UserId }
      }
    | { readonly kind: 'post'; readonly value: BatchPost }
    | { readonly kind: 'like'; readonly value: BatchLike }
  )

/** Where a record was read. */
export interface Origin {
  readonly line: number
  /** Of a folder's files; absent where there is only one. */
  readonly file?: string
}

/** A line that cannot be imported; the others go on. */
export interface Rejection extends Origin {
  readonly kind: 'rejected'
  readonly reason: string
}

export type Parsed = ImportRecord | Rejection
export type ImportKind = 'follows' | 'posts' | 'likes' | 'users'

export function rejected(line: number, reason: string): Rejection {
  return { kind: 'rejected', line, reason }
}

export function followOf(line: number, follower: string, followee: string): Parsed {
  if (!isUserId(follower) || !isUserId(followee))
    return rejected(line, `"${shown(follower)}" and "${shown(followee)}" are not two user ids`)
  if (follower === followee) return rejected(line, `"${follower}" cannot follow itself`)
  return { kind: 'follow', line, value: { follower, followee } }
}

/** A file of prose has long words. */
function shown(text: string): string {
  return text.slice(0, 60)
}

/** A friendship is two follows, or one rejection. */
export function followsBothWays(line: number, a: string, b: string): Parsed[] {
  const there = followOf(line, a, b)
  return there.kind === 'rejected' ? [there] : [there, followOf(line, b, a)]
}
