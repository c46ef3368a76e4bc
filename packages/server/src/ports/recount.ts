import type { PostId } from '../domain/post-id.ts'

/** A step of a recount. */
export interface Recounted<Position> {
  /** How many counts differed from the rows behind them, and were set right. */
  readonly corrected: number
  /** Where the next step goes on; null at the end. */
  readonly next: Position | null
}

/** A displayed count and what the rows behind it say, both without the deltas that wait. */
export interface WrongCount {
  readonly of: 'followers' | 'following' | 'posts' | 'likes'
  /** The user's number, or null: it is of a post. */
  readonly user: number | null
  readonly post: PostId | null
  readonly shown: number
  readonly counted: number
}

/** Displayed counts against the rows behind them. Deltas that wait are left to the flush. */
export interface RecountStore {
  /** Likes of up to `limit` posts behind one; BEGINNING at first. Their order is the Store's own. */
  recountLikes(after: PostId, limit: number): Promise<Recounted<PostId>>
  /** Followers, followees and posts of up to `limit` users with a number above `after`. */
  recountUsers(after: number, limit: number): Promise<Recounted<number>>
  /** The counts of these users and posts alone. Returns how many were corrected; those that a flush moved are left. */
  recountThese(users: readonly number[], posts: readonly PostId[]): Promise<number>
  /** Only looks at them. Posts that are not there are left out. */
  wrongCounts(users: readonly number[], posts: readonly PostId[]): Promise<readonly WrongCount[]>
}
