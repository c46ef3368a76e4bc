/**
 * THE contract of Fanwise: what a client can ask and what it gets. The HTTP client and the server in process both
 * implement it. Everything here is JSON on the wire.
 */

import type { Explanation, PostDelivery } from './explanation.ts'
import type { PostId, UserId } from './ids.ts'

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json }
export type JsonObject = { readonly [key: string]: Json }

export type { PostId, UserId }

/** What a post shows of its author. */
export interface Author {
  readonly id: UserId
  readonly name: string | null
  readonly avatar: string | null
  readonly attributes: JsonObject
}

export interface Post {
  readonly id: PostId
  readonly author: Author
  readonly content: string
  /** Custom fields of the app. */
  readonly attrs: JsonObject
  /** ISO 8601 with ms, UTC. */
  readonly createdAt: string
  readonly editedAt: string | null
  /** May lag by about a second. */
  readonly counts: { readonly likes: number }
  /** How the reader who asked stands to the post. */
  readonly viewer: { readonly liked: boolean }
}

/** Posts of a `private` account are for followers whom it accepted, on every path. */
export type Visibility = 'public' | 'private'

export interface Profile extends Author {
  readonly visibility: Visibility
  readonly createdAt: string
  /** May lag by about a second. */
  readonly counts: {
    readonly followers: number
    readonly following: number
    readonly posts: number
  }
}

/** `nextCursor: null` is the end of the list, and only the end is. A page may be short without being the last. */
export interface Page<T> {
  readonly items: readonly T[]
  readonly nextCursor: string | null
  /** The page was cut short by a bound; `nextCursor` goes on exactly behind it. */
  readonly partial?: true
}

export interface PageQuery {
  /** Items per page, 1-100; 20 if absent. */
  readonly limit?: number
  /** `nextCursor` of the page before; the newest items if absent. */
  readonly cursor?: string
}

/** Of the home feed. Bounds are ids of posts, which need not exist any more, or cursors of the feed. */
export interface FeedQuery extends PageQuery {
  /**
   * Only posts newer than this one. With `before`, the gap between both is paged, newest first. Alone it turns the walk:
   * oldest first, from right above the bound upwards; `nextCursor: null` then says that there is nothing newer now.
   */
  readonly after?: PostId | string
  /** Only posts older than this one. */
  readonly before?: PostId | string
  /**
   * With `after` alone: the posts that the client holds of the 30 s before `after`, and that one; at most 100. Then posts
   * that came in late below `after` are shown too, less these. Repeat it with the cursors that follow.
   */
  readonly known?: readonly PostId[]
  /**
   * The page by its number, from 1 on, where the server numbers pages (preset `enterprise`); `page * size` is 10,000 at
   * most. Neither `cursor` nor bounds nor `limit` go with it. Page 1 takes a snapshot, which numbers the posts of all
   * pages: none is shown twice.
   */
  readonly page?: number
  /** Posts per page, 1-100; 20 if absent. A page may be short: what was deleted or is hidden by now leaves a gap. */
  readonly size?: number
  /** `snapshot` of an earlier page; the latest one of the user if absent. Page 1 takes a fresh one if absent. */
  readonly snapshot?: string
}

/** A page of the home feed. */
export interface FeedPage extends Page<Post> {
  /** Of a page that was asked for by its number: the snapshot that numbers the posts. */
  readonly snapshot?: string
}

export interface NewerQuery {
  /** Posts newer than this one are counted: the id of a post, or a cursor of the feed. */
  readonly after: PostId | string
  /** The posts that the client holds of the 30 s before `after`: then late ones among these are counted too, less these. */
  readonly known?: readonly PostId[]
}

/** `count` is 100 at most; `more` says that there are others, or that so much was hidden that it is not known. */
export interface NewerCount {
  readonly count: number
  readonly more: boolean
}

/** Posts that were asked for by their ids. */
export interface FoundPosts {
  /** In the order asked for, each once. */
  readonly items: readonly Post[]
  /** Ids without a post that the reader may see: unknown, deleted, or not for them. */
  readonly missing: readonly PostId[]
}

export interface WriteOptions {
  /** 1-255 visible ASCII characters. The same key with the same request within 24 h gets the stored answer. */
  readonly idempotencyKey?: string
}

export interface NewPost {
  /** 1-10,000 characters (UTF-16 units). */
  readonly content: string
  readonly attrs?: JsonObject
  /** Refused with `media_not_enabled` unless the server stores media. */
  readonly mediaIds?: readonly string[]
}

export interface PostChange {
  readonly content?: string
  readonly attrs?: JsonObject
}

export interface ProfileChange {
  readonly name?: string | null
  readonly avatar?: string | null
  readonly attributes?: JsonObject
  /** Who turns private keeps the followers; who turns public accepts all who asked. */
  readonly visibility?: Visibility
}

/** `requested`: the account is private, and has to accept. */
export interface FollowResult {
  readonly state: 'following' | 'requested'
}

export interface FollowRequestsQuery extends PageQuery {
  /** `incoming` if absent: who asks to follow oneself; `outgoing`: whom one asks. */
  readonly direction?: 'incoming' | 'outgoing'
}

/** What one user can do. Every method that fails throws an error with a `code` of `ErrorCode`. */
export interface FeedApi {
  createPost(post: NewPost, options?: WriteOptions): Promise<Post>
  getPost(id: PostId): Promise<Post>
  /** 1 to 100 posts by their ids. */
  getPosts(ids: readonly PostId[]): Promise<FoundPosts>
  editPost(id: PostId, change: PostChange, options?: WriteOptions): Promise<Post>
  deletePost(id: PostId, options?: WriteOptions): Promise<void>
  /** How far the fan-out of an own post is. */
  delivery(id: PostId): Promise<PostDelivery>

  /** The home feed: own posts and those of followees, newest first, without end. */
  feed(query?: FeedQuery): Promise<FeedPage>
  /** How many posts of the home feed are newer than one. */
  newer(query: NewerQuery): Promise<NewerCount>
  /** An author's own posts, newest first. */
  userPosts(user: UserId, query?: PageQuery): Promise<Page<Post>>

  getUser(user: UserId): Promise<Profile>
  /** Creates or changes the own profile; absent fields stay as they are. */
  putUser(user: UserId, change: ProfileChange, options?: WriteOptions): Promise<Profile>
  /** Deletes the own account for good: its posts leave every feed at once. */
  deleteMe(options?: WriteOptions): Promise<void>

  /** Asks who is private. */
  follow(user: UserId, options?: WriteOptions): Promise<FollowResult>
  /** Also takes a request back. */
  unfollow(user: UserId, options?: WriteOptions): Promise<void>
  block(user: UserId, options?: WriteOptions): Promise<void>
  unblock(user: UserId, options?: WriteOptions): Promise<void>
  mute(user: UserId, options?: WriteOptions): Promise<void>
  unmute(user: UserId, options?: WriteOptions): Promise<void>
  /** Who asks to follow, the latest first; or whom one asks. */
  followRequests(query?: FollowRequestsQuery): Promise<Page<Author>>
  /** Makes who asks a follower. */
  acceptRequest(user: UserId, options?: WriteOptions): Promise<void>
  rejectRequest(user: UserId, options?: WriteOptions): Promise<void>
  /** Ends somebody's follow of oneself: `user` is the own id. */
  removeFollower(user: UserId, follower: UserId, options?: WriteOptions): Promise<void>
  followers(user: UserId, query?: PageQuery): Promise<Page<Author>>
  following(user: UserId, query?: PageQuery): Promise<Page<Author>>
  blocks(query?: PageQuery): Promise<Page<Author>>
  mutes(query?: PageQuery): Promise<Page<Author>>

  like(id: PostId, options?: WriteOptions): Promise<void>
  unlike(id: PostId, options?: WriteOptions): Promise<void>
  hide(id: PostId, options?: WriteOptions): Promise<void>
  unhide(id: PostId, options?: WriteOptions): Promise<void>
}

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

/** Every error code that the server answers; docs/errors.md explains each. */
export type ErrorCode =
  | 'invalid_request'
  | 'invalid_json'
  | 'invalid_cursor'
  | 'invalid_commit'
  | 'invalid_bounds'
  | 'invalid_text'
  | 'invalid_idempotency_key'
  | 'media_not_enabled'
  | 'self_relation'
  | 'time_out_of_range'
  | 'unauthenticated'
  | 'forbidden'
  | 'server_key_required'
  | 'not_author'
  | 'blocked'
  | 'private_account'
  | 'account_suspended'
  | 'account_gone'
  | 'route_not_found'
  | 'post_not_found'
  | 'user_not_found'
  | 'event_not_found'
  | 'request_not_found'
  | 'method_not_allowed'
  | 'idempotency_conflict'
  | 'follows_limit'
  | 'requests_limit'
  | 'rules_limit'
  | 'snapshot_gone'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'internal'
  | 'unavailable'
  | 'clock_behind'

/** The body of an error (RFC 9457, application/problem+json). */
export interface ProblemDetails {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly code: ErrorCode
  /** Names the offending value and the way out. */
  readonly message: string
  readonly requestId: string
  /** Where a schema was not met: `body/content must be string`. */
  readonly errors?: readonly string[]
}
