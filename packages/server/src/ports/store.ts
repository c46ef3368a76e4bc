import type { DeadEvent, LoggedEvent } from '../domain/event.ts'
import type { ImportedPost, NewPost, Post, PostChange } from '../domain/post.ts'
import type { PostId } from '../domain/post-id.ts'
import type { Rules } from '../domain/rules.ts'
import type { Delivery, Profile, User, UserStatus } from '../domain/user.ts'
import type { LedgerStore } from './ledger.ts'
import type { RecountStore } from './recount.ts'

/**
 * A client's key for a request that it may repeat. Kept 24 h in the same transaction as the write.
 * The same key with another `hash` throws Problem idempotency_conflict.
 */
export interface IdempotencyKey {
  /** The user's number; 0 for the server key. */
  readonly owner: number
  readonly key: string
  /** Of route and body. */
  readonly hash: string
}

/** A key whose request is more than one transaction. */
export interface OpenKey {
  /** Names this use of the key, which may be used for something else after 24 h. */
  readonly opened: string
  /** What the request made, if it is done. */
  readonly outcome: { readonly value: unknown } | null
}

/** What a write made. `replayed`: it had been done before under the same key, and this is what it made then. */
export interface Written<T> {
  readonly value: T
  readonly replayed: boolean
}

/** A post with its author as they were when it was made. */
export interface Published {
  readonly post: Post
  readonly author: User
}

export interface ImportResult {
  readonly id: PostId
  readonly created: boolean
}

/** A row of a list of users; `position` is the keyset to go on from, newest first. */
export interface Member {
  readonly user: number
  readonly position: string
}

/** `requests`: who asks to follow the owner; `requested`: whom the owner asks. */
export type MemberList = 'followers' | 'following' | 'blocks' | 'mutes' | 'requests' | 'requested'

export interface Relation {
  readonly reader: number
  readonly author: number
}

/** Whether a follow changed anything; or the author is private, and a request waits for them. */
export type Followed = boolean | 'requested'

export interface LikedMany {
  readonly added: number
  /** Different likes that were left out; the others were there already. */
  readonly skipped: number
}

export interface DeliveryState {
  readonly author: number
  readonly delivery: Delivery
  readonly version: number
}

export interface Cut extends Relation {
  /** Identifies this cut: a later unfollow of the same pair makes another. */
  readonly version: string
}

export interface StoreStats {
  readonly users: number
  readonly posts: number
  readonly follows: number
  readonly likes: number
  readonly outboxPending: number
  readonly outboxDead: number
}

/** Users. Numbers never change; ids never either. */
export interface UserStore {
  /** Those that exist, in any order. */
  usersByIds(ids: readonly string[]): Promise<readonly User[]>
  usersByNumbers(numbers: readonly number[]): Promise<readonly User[]>
  /** Creates those that don't exist, with an empty profile. Returns all, in any order. */
  ensureUsers(ids: readonly string[]): Promise<readonly User[]>
  /**
   * Creates or changes; absent fields stay. Writes a `user` event. An account that turns public leaves its requests to
   * `acceptOpened`.
   */
  putUser(id: string, change: Partial<Profile>, key?: IdempotencyKey): Promise<Written<User>>
  /** The same for many, without keys. `created` counts those that were not there. */
  putUsers(
    changes: readonly (Partial<Profile> & { readonly id: string })[]
  ): Promise<{ created: number }>
  /** `gone` is final. Writes a `user` event. Returns the user after it. */
  setStatus(user: number, status: UserStatus, key?: IdempotencyKey): Promise<Written<User>>
  /** Users after a number, ascending, whatever their status but `gone`. */
  listUsers(after: number, limit: number): Promise<readonly User[]>
  /** Notes that readers were here; kept to 6 h. */
  touchReaders(readers: readonly number[]): Promise<void>
}

/**
 * Which authors a read of ids takes in. `shown` (the default): only active ones. `kept`: what a list has to hold, so
 * suspended ones too: when the suspension is lifted, a list that was complete must have their posts.
 */
export type Extent = 'shown' | 'kept'

/** Posts. Ids are made by the Store's clock, never ahead of it. */
export interface PostStore {
  /** One statement: post, outbox row and key. @throws Problem clock_behind, idempotency_conflict */
  publish(post: NewPost, key?: IdempotencyKey): Promise<Written<Published>>
  /**
   * Keeps each post's own time (the next free ms if its id is taken). Under a key that was used before, nothing is made
   * and the results are those of then. @throws Problem time_out_of_range, idempotency_conflict
   */
  importPosts(
    posts: readonly ImportedPost[],
    key?: IdempotencyKey
  ): Promise<readonly ImportResult[]>
  /** @throws Problem post_not_found, not_author */
  editPost(
    author: number,
    id: PostId,
    change: PostChange,
    key?: IdempotencyKey
  ): Promise<Written<Post>>
  /** A tombstone; the own post deleted before is no error. What keys keep of the post loses its words. @throws Problem post_not_found, not_author */
  deletePost(author: number, id: PostId, key?: IdempotencyKey): Promise<Written<null>>
  /** Rows that exist, tombstones included, in any order. */
  postsByIds(ids: readonly PostId[]): Promise<readonly Post[]>
  postsByExternalIds(
    keys: readonly { readonly author: number; readonly externalId: string }[]
  ): Promise<readonly (PostId | null)[]>
  /** Live posts of one author with `above` < id < `below`, newest first. */
  idsByAuthor(
    author: number,
    below: PostId,
    above: PostId,
    limit: number,
    extent?: Extent
  ): Promise<readonly PostId[]>
  /**
   * Live posts of the reader and of everybody they follow with id < `below`, newest first; not filtered by rules.
   * Always from the primary.
   */
  homeIds(reader: number, below: PostId, limit: number, extent?: Extent): Promise<readonly PostId[]>
  /** The same upwards: live and shown posts with id > `above`, oldest first. */
  newerHomeIds(reader: number, above: PostId, limit: number): Promise<readonly PostId[]>
}

/** What an author decides about those who follow or ask to. */
export interface RequestStore {
  /** The request becomes a follow; false: it is one already. @throws Problem request_not_found */
  acceptRequest(author: number, reader: number, key?: IdempotencyKey): Promise<Written<boolean>>
  /** `value` tells whether there was one. */
  rejectRequest(author: number, reader: number, key?: IdempotencyKey): Promise<Written<boolean>>
  /** Ends the reader's follow as an unfollow does. */
  removeFollower(author: number, reader: number, key?: IdempotencyKey): Promise<Written<boolean>>
  /**
   * Accepts up to `limit` requests that accounts had when they turned public: of this author, or of all, in turns.
   * Returns the follows that were added: fewer than `limit` when none is left, or another process works on them too.
   */
  acceptOpened(limit: number, author?: number): Promise<readonly Relation[]>
  /** Accounts whose requests of that time are not all accepted yet. */
  openedPending(): Promise<number>
}

/** Follows and rules. Each change writes outbox rows for the reader's rules, and for the author's list. */
export interface RelationStore {
  /** Asks an author who is private, without an event. @throws Problem blocked, follows_limit, requests_limit */
  follow(reader: number, author: number, key?: IdempotencyKey): Promise<Written<Followed>>
  /**
   * Many at once, without keys, private authors too; pairs that are blocked are left out. Returns the pairs that were
   * added.
   */
  followMany(pairs: readonly Relation[]): Promise<readonly Relation[]>
  /** Writes a cut; takes a request back. */
  unfollow(reader: number, author: number, key?: IdempotencyKey): Promise<Written<boolean>>
  /** Also ends both follows, with cuts, and both requests. @throws Problem rules_limit */
  block(reader: number, author: number, key?: IdempotencyKey): Promise<Written<boolean>>
  unblock(reader: number, author: number, key?: IdempotencyKey): Promise<Written<boolean>>
  /** @throws Problem rules_limit */
  mute(reader: number, author: number, key?: IdempotencyKey): Promise<Written<boolean>>
  unmute(reader: number, author: number, key?: IdempotencyKey): Promise<Written<boolean>>
  /** @throws Problem post_not_found, rules_limit */
  hide(reader: number, post: PostId, key?: IdempotencyKey): Promise<Written<boolean>>
  unhide(reader: number, post: PostId, key?: IdempotencyKey): Promise<Written<boolean>>
  /** From the primary. */
  rules(reader: number): Promise<Rules>
  /** Which of the pairs are follows, in their order. From the primary. */
  follows(pairs: readonly Relation[]): Promise<readonly boolean[]>
  /** Newest first; `before` is the position of the last one seen. */
  members(
    list: MemberList,
    owner: number,
    before: string | null,
    limit: number
  ): Promise<readonly Member[]>
  /** Followers with a number above `after`, ascending. */
  followerSlice(author: number, after: number, limit: number): Promise<readonly number[]>
  /** The worker has seen the unfollow: the cut starts to age. */
  stampCuts(pairs: readonly Relation[]): Promise<void>
  /** Cuts seen at least `ageMs` ago. */
  ripeCuts(ageMs: number, limit: number): Promise<readonly Cut[]>
  /** Only if it is still the same cut. Writes a `rules` event. */
  removeCut(cut: Cut): Promise<boolean>
}

export interface LikeStore {
  /** A row and a delta in one statement. `value` tells whether it changed anything. */
  like(user: number, post: PostId, key?: IdempotencyKey): Promise<Written<boolean>>
  unlike(user: number, post: PostId, key?: IdempotencyKey): Promise<Written<boolean>>
  /**
   * Many at once. Left out are likes by users and of authors who are not active or block each other, of posts by
   * private authors whom the user does not follow, and of posts that are not there.
   */
  likeMany(likes: readonly { readonly user: number; readonly post: PostId }[]): Promise<LikedMany>
  /** Which of the posts the user likes. */
  likedBy(user: number, posts: readonly PostId[]): Promise<readonly PostId[]>
  /** Displayed likes; posts without any may be absent. */
  likeCounts(posts: readonly PostId[]): Promise<ReadonlyMap<PostId, number>>
  /** Moves deltas of likes, follows and posts to the displayed counts, in one transaction. Returns how many it moved. */
  flushCounts(limit: number): Promise<number>
}

export interface DeliveryStore {
  /** From the primary. */
  deliveryOf(authors: readonly number[]): Promise<readonly DeliveryState[]>
  /** Authors in `push` with at least `threshold` followers, and others with fewer than `lower`. */
  deliveryCrossings(
    threshold: number,
    lower: number,
    limit: number
  ): Promise<readonly DeliveryState[]>
  inBoth(limit: number): Promise<readonly DeliveryState[]>
  /**
   * Compare-and-set on the version. To `push`, `until` (an id) is kept as pull_until if it is larger than the one
   * there. Returns whether it won.
   */
  switchDelivery(from: DeliveryState, to: Delivery, until?: PostId): Promise<boolean>
}

/** One process's hold on lanes of the outbox: its database session. */
export interface Lanes extends AsyncDisposable {
  /** Takes free lanes; returns all lanes held now. Rejects when the session is lost: no lane is held then. */
  claim(): Promise<readonly number[]>
  /** Unpublished rows of these held lanes in id order, up to `limit` a lane. Late commits are found. */
  unpublished(lanes: readonly number[], limit: number): Promise<readonly LoggedEvent[]>
  markPublished(ids: readonly string[]): Promise<void>
  /**
   * Rows of these held lanes that were published in the last `ageMs`, in id order: what a former holder may have had in
   * work. Bounded: of very many the newest.
   */
  recent(lanes: readonly number[], ageMs: number): Promise<readonly LoggedEvent[]>
}

export interface OutboxStore {
  openLanes(): Promise<Lanes>
  /** Sets an event aside that fails again and again, published or not, so that the others go on. */
  bury(event: LoggedEvent, reason: string): Promise<void>
  /** Events that were set aside, with an id above `after`, ascending. They are kept as long as other rows: 7 days. */
  deadEvents(after: string, limit: number): Promise<readonly DeadEvent[]>
  /**
   * Has an event that was set aside published once more, behind all others and with an id of its own: what is still
   * under way of its former self changes nothing. False: there is none with this id.
   */
  retryDead(id: string): Promise<boolean>
  /** Forgets an event that was set aside. False: there is none with this id. */
  dropDead(id: string): Promise<boolean>
  /**
   * Has the rows of the last `ageMs` published again: the log has lost events. Rows are kept for 7 days. Returns how
   * many. Replays change nothing that is right.
   * @throws Error where change data capture carries the rows, which reads none again: raise the epoch there.
   */
  republish(ageMs: number): Promise<number>
  /** Unpublished rows. */
  outboxPending(): Promise<number>
  /**
   * Bytes of its log that the Store keeps for change data capture, which has not read them; null without it. Grows while
   * it stands still.
   */
  keptForCapture(): Promise<number | null>
  /** A point that all events stored so far lie before. */
  outboxMark(): Promise<string>
  /** Whether all events before the mark are safe in the log, by whichever relay. */
  isRelayed(mark: string): Promise<boolean>
  /** Called when rows were written, after their commit: by this process, or by one that this one hears of. */
  onOutbox(listener: () => void): void
}

export interface UpkeepStore {
  /**
   * Of users who are gone: tombstones posts, removes follows, requests, likes, blocks, mutes, hides and cuts, and takes their words
   * from what keys keep; up to `limit` rows. Returns how much it did: 0 when there is nothing to do for now.
   */
  cleanGone(limit: number): Promise<number>
  /**
   * Removes idempotency keys over 24 h old, up to `limit`, and partitions of outbox and ledger over 7 days old, and makes
   * the next partitions. Returns how many went; at least `limit` when there may be more.
   */
  expire(limit: number): Promise<number>
  /** Raised when everything that was derived has to be made again. */
  epoch(): Promise<number>
  raiseEpoch(): Promise<number>
  stats(): Promise<StoreStats>
  /** Resolves when the Store answers. */
  ping(): Promise<void>
}

/** Keys by themselves. A write of one transaction takes its key along. */
export interface KeyStore {
  /** Whether the key's request was done. @throws Problem idempotency_conflict */
  isDone(key: IdempotencyKey): Promise<boolean>
  /** Takes the key for a request of several transactions, or finds it taken by this request. @throws Problem idempotency_conflict */
  openKey(key: IdempotencyKey): Promise<OpenKey>
  /** Keeps what the request of an open key made. The first one holds: returns what is kept. JSON. */
  closeKey<T>(key: IdempotencyKey, value: T): Promise<T>
}

/** How a reader stands to an author and one of their posts. */
export interface Standing {
  readonly follows: boolean
  /** The reader asks to follow, and the author has not decided. */
  readonly requested: boolean
  /** The reader blocks the author. */
  readonly blocks: boolean
  /** The author blocks the reader. */
  readonly blocked: boolean
  readonly mutes: boolean
  readonly cut: boolean
  readonly hides: boolean
  /** Of the author now, and up to which id posts may not have been pushed. */
  readonly delivery: Delivery
  readonly pullUntil: PostId
}

export interface AuditStore {
  /**
   * What the reader's feed must be, by plain SQL that shares nothing with the page stage: own posts + posts of
   * followees, minus deleted, hidden, muted, blocked either way, and authors suspended or gone; id descending. Whoever
   * asks to follow a private author is no follower. With `above`, only larger ids.
   */
  oracle(reader: number, below: PostId, limit: number, above?: PostId): Promise<readonly PostId[]>
  /** Active readers at random who were seen in the last `ageMs`, up to `limit`. Looks at a bounded number of users. */
  sampleReaders(ageMs: number, limit: number): Promise<readonly number[]>
  /** From the primary. Null when there is no such author. */
  standing(reader: number, author: number, post: PostId): Promise<Standing | null>
}

/** The only source of truth. Each method is one transaction; no transaction leaves it. */
export interface Store
  extends AsyncDisposable,
    UserStore,
    PostStore,
    RelationStore,
    RequestStore,
    LikeStore,
    RecountStore,
    DeliveryStore,
    OutboxStore,
    UpkeepStore,
    KeyStore,
    AuditStore,
    LedgerStore {}
