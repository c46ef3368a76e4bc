import type { AdminApi, FeedApi, FeedQuery, PageQuery, PostId, UserId } from '@fanwise/sdk'
import type { Session } from '../domain/commit.ts'

/** What one user can do, with pages and posts as JSON bytes that are sent as they are. */
export interface UserBackend extends FeedApi {
  /** `Page<Post>` as JSON. */
  feedBytes(query?: FeedQuery): Promise<Uint8Array>
  /** `Page<Post>` as JSON. */
  userPostsBytes(user: UserId, query?: PageQuery): Promise<Uint8Array>
  /** `Post` as JSON. */
  postBytes(id: PostId): Promise<Uint8Array>
  /** `FoundPosts` as JSON. */
  postsBytes(ids: readonly PostId[]): Promise<Uint8Array>
}

/** What the HTTP server needs of the rest. */
export interface Backend {
  as(user: UserId, session?: Session): UserBackend
  readonly admin: AdminApi
  /** Each dependency by name: 'ok', or what is wrong with it. */
  health(): Promise<Readonly<Record<string, string>>>
  /** Prometheus text. */
  metrics(): Promise<{ readonly contentType: string; readonly body: string }>
}
