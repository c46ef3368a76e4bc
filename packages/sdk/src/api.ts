/**
 * THE contract of Fanwise: what a client can ask and what it gets. The HTTP client and the server in process both
 * implement it. Everything here is JSON on the wire.
 */

import type { PostDelivery } from './explanation.ts'
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
