import type {
  Author,
  FeedApi,
  FeedPage,
  FollowResult,
  FoundPosts,
  NewerCount,
  NewerQuery,
  NewPost,
  Page,
  Post,
  PostChange,
  PostId,
  Profile,
  ProfileChange,
  UserId
} from './api.ts'
import { Commits } from './commits.ts'
import type { PostDelivery } from './explanation.ts'
import {
  type Paged,
  type PagedFeedQuery,
  type PagedQuery,
  type PagedRequestsQuery,
  paged,
  queryText
} from './paged.ts'
import { join, postPath, userPath } from './paths.ts'
import {
  type ConnectionOptions,
  type Method,
  type RequestOptions,
  Transport,
  type WriteRequest
} from './transport.ts'

export interface ClientOptions extends ConnectionOptions {
  /** The token of the user, or what gives a valid one: it is asked before each request. */
  readonly token: string | (() => string | Promise<string>)
  /** With the server key as token: for whom it acts. */
  readonly actingFor?: UserId
  /** `commit` of another client, whose writes the reads of this one have to show. */
  readonly commit?: string
}

/**
 * What one user can do, over HTTP. Methods reject with a `FanwiseError`.
 *
 * @example
 * const client = new FanwiseClient({ url: 'http://localhost:4100', token })
 * await client.createPost({ content: 'The engine weaves patterns.' })
 * for await (const post of client.feed()) show(post)
 */
export class FanwiseClient implements FeedApi {
  readonly #transport: Transport
  readonly #commits = new Commits()

  constructor(options: ClientOptions) {
    const { token, actingFor, commit } = options
    if (commit !== undefined) this.#commits.add(commit)
    const headers = async () => ({
      authorization: `Bearer ${typeof token === 'string' ? token : await token()}`,
      ...(actingFor !== undefined && { 'fanwise-user': actingFor })
    })
    this.#transport = new Transport(options, headers, this.#commits)
  }

  /**
   * Names what this client wrote in the last 5 minutes (16 writes at most); null when nothing. Its own reads look for
   * that on whatever server they end up; another client does so too when it gets this as `commit`.
   */
  get commit(): string | null {
    return this.#commits.text
  }

  /** Publishes a post: durable when this resolves, and in the own feed at once. */
  createPost(post: NewPost, options: WriteRequest = {}): Promise<Post> {
    return this.#ask('POST', '/v1/posts', options, post)
  }

  getPost(id: PostId, options: RequestOptions = {}): Promise<Post> {
    return this.#ask('GET', postPath(id), options)
  }

  /** 1 to 100 posts by their ids; those that are not there, or not for this user, are listed as missing. */
  getPosts(ids: readonly PostId[], options: RequestOptions = {}): Promise<FoundPosts> {
    return this.#ask('GET', `/v1/posts?${new URLSearchParams({ ids: ids.join(',') })}`, options)
  }

  /** Fields that are absent stay as they are. */
  editPost(id: PostId, change: PostChange, options: WriteRequest = {}): Promise<Post> {
    return this.#ask('PATCH', postPath(id), options, change)
  }

  deletePost(id: PostId, options: WriteRequest = {}): Promise<void> {
    return this.#ask('DELETE', postPath(id), options)
  }

  /** How far the fan-out of an own post is. */
  delivery(id: PostId, options: RequestOptions = {}): Promise<PostDelivery> {
    return this.#ask('GET', postPath(id, 'delivery'), options)
  }

  /** The home feed: own posts and those of followees, newest first, without end. */
  feed(query: PagedFeedQuery = {}): Paged<Post, FeedPage> {
    return this.#list('/v1/feed', query)
  }

  /** How many posts of the home feed are newer than one: 100 at most. */
  newer(query: NewerQuery & RequestOptions): Promise<NewerCount> {
    return this.#ask('GET', `/v1/feed/newer${queryText(query)}`, query)
  }

  /** An author's own posts, newest first. */
  userPosts(user: UserId, query: PagedQuery = {}): Paged<Post> {
    return this.#list(userPath(user, 'posts'), query)
  }

  getUser(user: UserId, options: RequestOptions = {}): Promise<Profile> {
    return this.#ask('GET', userPath(user), options)
  }

  /** Creates or changes the own profile; absent fields stay as they are. */
  putUser(user: UserId, change: ProfileChange, options: WriteRequest = {}): Promise<Profile> {
    return this.#ask('PUT', userPath(user), options, change)
  }

  /** Deletes the own account for good: its posts leave every feed at once. */
  deleteMe(options: WriteRequest = {}): Promise<void> {
    return this.#ask('DELETE', '/v1/users/me', options)
  }

  /** Asks who is private: `{ state: 'requested' }`. */
  follow(user: UserId, options: WriteRequest = {}): Promise<FollowResult> {
    return this.#ask('POST', userPath(user, 'follow'), options)
  }

  /** Also takes a request back. */
  unfollow(user: UserId, options: WriteRequest = {}): Promise<void> {
    return this.#ask('DELETE', userPath(user, 'follow'), options)
  }

  /** Neither sees the other any more; both stop following. */
  block(user: UserId, options: WriteRequest = {}): Promise<void> {
    return this.#ask('POST', userPath(user, 'block'), options)
  }

  unblock(user: UserId, options: WriteRequest = {}): Promise<void> {
    return this.#ask('DELETE', userPath(user, 'block'), options)
  }

  /** Their posts leave the own feed; they do not learn of it. */
  mute(user: UserId, options: WriteRequest = {}): Promise<void> {
    return this.#ask('POST', userPath(user, 'mute'), options)
  }

  unmute(user: UserId, options: WriteRequest = {}): Promise<void> {
    return this.#ask('DELETE', userPath(user, 'mute'), options)
  }

  /** Who asks to follow, the latest first; or whom one asks. */
  followRequests(query: PagedRequestsQuery = {}): Paged<Author> {
    return this.#list('/v1/follow-requests', query)
  }

  /** Makes who asks a follower. */
  acceptRequest(user: UserId, options: WriteRequest = {}): Promise<void> {
    return this.#ask('POST', join('/v1/follow-requests', user, 'accept'), options)
  }

  rejectRequest(user: UserId, options: WriteRequest = {}): Promise<void> {
    return this.#ask('POST', join('/v1/follow-requests', user, 'reject'), options)
  }

  /** Ends somebody's follow of oneself: `user` is the own id. */
  removeFollower(user: UserId, follower: UserId, options: WriteRequest = {}): Promise<void> {
    return this.#ask('DELETE', join(userPath(user, 'followers'), follower), options)
  }

  followers(user: UserId, query: PagedQuery = {}): Paged<Author> {
    return this.#list(userPath(user, 'followers'), query)
  }

  following(user: UserId, query: PagedQuery = {}): Paged<Author> {
    return this.#list(userPath(user, 'following'), query)
  }

  /** Whom one blocks oneself. */
  blocks(query: PagedQuery = {}): Paged<Author> {
    return this.#list('/v1/blocks', query)
  }

  /** Whom one mutes oneself. */
  mutes(query: PagedQuery = {}): Paged<Author> {
    return this.#list('/v1/mutes', query)
  }

  like(id: PostId, options: WriteRequest = {}): Promise<void> {
    return this.#ask('POST', postPath(id, 'like'), options)
  }

  unlike(id: PostId, options: WriteRequest = {}): Promise<void> {
    return this.#ask('DELETE', postPath(id, 'like'), options)
  }

  /** The post leaves the own feed. */
  hide(id: PostId, options: WriteRequest = {}): Promise<void> {
    return this.#ask('POST', postPath(id, 'hide'), options)
  }

  unhide(id: PostId, options: WriteRequest = {}): Promise<void> {
    return this.#ask('DELETE', postPath(id, 'hide'), options)
  }

  #ask<T>(method: Method, path: string, options: WriteRequest, body?: unknown): Promise<T> {
    return this.#transport.ask(method, path, options, body)
  }

  #list<T, P extends Page<T> = Page<T>>(
    path: string,
    query: PagedFeedQuery & PagedRequestsQuery
  ): Paged<T, P> {
    return paged<T, P>(query, one => this.#ask<P>('GET', `${path}${queryText(one)}`, one))
  }
}
