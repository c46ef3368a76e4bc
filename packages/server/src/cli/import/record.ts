import type { BatchLike, BatchPost, ProfileChange, UserId } from '@fanwise/sdk'

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
