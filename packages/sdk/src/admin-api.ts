// What operators and backends ask with the server key: the rest of the contract.
import type {
  JsonObject,
  Page,
  PageQuery,
  PostId,
  Profile,
  ProfileChange,
  UserId,
  WriteOptions
} from './api.ts'
import type { Explanation, PostDelivery } from './explanation.ts'

/** Up to 1,000 entries in all, applied in the order users, follows, posts, likes. Applying one again changes nothing. */
export interface Batch {
  readonly users?: readonly (ProfileChange & { readonly id: UserId })[]
  readonly follows?: readonly { readonly follower: UserId; readonly followee: UserId }[]
  readonly posts?: readonly BatchPost[]
  readonly likes?: readonly BatchLike[]
}

export interface BatchPost {
  readonly author: UserId
  readonly content: string
  readonly attrs?: JsonObject
  /** ISO 8601; 1985-02-09T22:45:58.204Z to now + 5 s; now if absent. */
  readonly createdAt?: string
  /** 1-128 characters, unique per author: a post with a known one is not made again. */
  readonly externalId?: string
}

export interface BatchLike {
  readonly user: UserId
  /** The post by its id, or by `author` and `externalId`. */
  readonly post?: PostId
  readonly author?: UserId
  readonly externalId?: string
}

export interface BatchResult {
  /** How many of each were made. */
  readonly created: {
    readonly users: number
    readonly follows: number
    readonly posts: number
    readonly likes: number
  }
  /**
   * How many were left out: follows and likes between people who block each other, follows of deleted accounts or over
   * the limit, likes of posts that were deleted, whose author is not active, or whom the user may not see. All others
   * were there already.
   */
  readonly skipped: { readonly follows: number; readonly likes: number }
  /** The ids of `posts`, in their order. */
  readonly postIds: readonly PostId[]
}

/** How often pages came whole from the warm feed, whole from the Store, or across the seam between both. */
export interface PageSources {
  readonly warm: number
  readonly store: number
  readonly seam: number
}

export interface VerifyQuery {
  /**
   * `warm`: only the feed as it stands, while it is warm, down to where the Store takes over. Drops and builds nothing,
   * and costs as much as some pages. Absent: also evicted and rebuilt, each walked to its end.
   */
  readonly only?: 'warm'
  /** A feed that is wrong is dropped, built anew and compared again; wrong counts are set right. */
  readonly repair?: boolean
}

/** A displayed count that is not what the rows behind it say, both without what waits to be added up. */
export interface WrongCountExample {
  /** Whose feed or profile was looked at. */
  readonly reader: UserId
  readonly of: 'followers' | 'following' | 'posts' | 'likes'
  /** Of `likes`; else null: it is the reader's own count. */
  readonly post: PostId | null
  readonly shown: number
  readonly counted: number
}

/** Counts of readers, and likes of the newest posts that they are shown. */
export interface VerifiedCounts {
  readonly checked: number
  readonly wrong: number
  /** Those of them that are right now. */
  readonly repaired: number
  /** Some of the wrong ones: at most 20. */
  readonly examples: readonly WrongCountExample[]
}

/** The comparison of walks (as the feed stands, evicted, rebuilt) with the oracle, and of counts with their rows. */
export interface VerifyReport {
  readonly readers: number
  /** Readers whose feed was not warm: the walk of it as it stands saw the Store alone. */
  readonly cold: number
  readonly pages: PageSources
  /** Events that were not worked off in the time that is given: the feeds can't be judged while this is not 0. */
  readonly pending: number
  readonly differences: number
  readonly missing: number
  readonly extra: number
  readonly misordered: number
  /** Readers whose feed was wrong, was made anew, and is right now. */
  readonly repaired: number
  /** Readers whose feed was found wrong and not repaired. */
  readonly stillWrong: number
  readonly counts: VerifiedCounts
  /** Some of the differences, for people: at most 20. */
  readonly examples: readonly VerifyExample[]
}

export interface VerifyExample {
  readonly reader: UserId
  readonly walk: 'warm' | 'store' | 'rebuilt'
  readonly kind: 'missing' | 'extra' | 'misordered'
  readonly post: PostId
}

export interface Stats {
  readonly users: number
  readonly posts: number
  readonly follows: number
  readonly likes: number
  /** Outbox rows whose event is not safe yet. */
  readonly outboxPending: number
  /** Events given up after repeated failures. */
  readonly outboxDead: number
  readonly feeds: { readonly warm: number; readonly bytes: number }
  readonly uptimeMs: number
  readonly mode: string
  readonly roles: readonly string[]
  readonly limits: JsonObject
}

/** An event that failed again and again and was set aside. The lists that it would have changed were dropped then. */
export interface DeadEvent {
  /** Decimal digits; changes when it is retried. */
  readonly id: string
  readonly type: 'post' | 'edit' | 'delete' | 'relation' | 'rules' | 'user'
  /** Whose events it stood among: an author, or of `rules` the reader. Null when there is no such user. */
  readonly user: UserId | null
  /** Of `post`, `edit` and `delete`. */
  readonly post: PostId | null
  /** Of `relation`: who began or ended to follow `user`. */
  readonly reader: UserId | null
  /** ISO 8601 with ms, UTC. */
  readonly diedAt: string
  /** How often it was given up: 1, and one more with each retry that failed. */
  readonly attempts: number
  readonly reason: string
}

/** A record of the event log that is no event. It can't be retried: find who wrote it. */
export interface DeadRecord {
  /** Where it lies among its kind; decimal digits. */
  readonly position: string
  /** Where it was in the log. */
  readonly partition: number
  readonly offset: string
  readonly key: string
  /** At most 1,000 characters of it. */
  readonly value: string
  readonly reason: string
}

/** What the app's backend can do with the server key. */
export interface AdminApi {
  batch(batch: Batch, options?: WriteOptions): Promise<BatchResult>
  /** Everybody but those whose accounts were deleted, with their counts. */
  users(query?: PageQuery): Promise<Page<Profile>>
  putUser(user: UserId, change: ProfileChange, options?: WriteOptions): Promise<Profile>
  verify(reader: UserId, query?: VerifyQuery): Promise<VerifyReport>
  /** Up to `limit` readers at random who were here in the last 30 days. */
  sampleReaders(limit?: number): Promise<readonly UserId[]>
  rebuild(reader: UserId): Promise<{ readonly ids: number }>
  /** Why a post is, or is not, in a reader's feed. */
  explain(reader: UserId, post: PostId): Promise<Explanation>
  /** How far the fan-out of any post is. */
  delivery(id: PostId): Promise<PostDelivery>
  suspend(user: UserId, options?: WriteOptions): Promise<void>
  unsuspend(user: UserId, options?: WriteOptions): Promise<void>
  /** Waits until all events so far are worked off: true; or until `timeoutMs` has passed: false. */
  settle(timeoutMs?: number): Promise<boolean>
  stats(): Promise<Stats>
  /** Events that were given up in the last 7 days, the oldest first. */
  deadEvents(query?: PageQuery): Promise<Page<DeadEvent>>
  /** Has an event published once more, behind all others. It is listed again, under another id, if it fails again. */
  retryDead(id: string): Promise<void>
  /** Forgets an event that was given up. No post is lost by it. */
  dropDead(id: string): Promise<void>
  /** The oldest records of the log that are no events; at most `limit`, 20 if absent. Empty without Kafka. */
  deadRecords(limit?: number): Promise<readonly DeadRecord[]>
  /** Forgets them up to a position, that included. */
  dropDeadRecords(position: string): Promise<void>
}
