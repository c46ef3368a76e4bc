import type { PostId, UserId } from './ids.ts'

/**
 * `waiting`: its event is not in the log yet; with change data capture, until a worker has recorded it. `relayed`: no
 * worker has begun. `in_work`: some slices of the followers are done. `done`. `pulled`: nothing is pushed; readers merge
 * the author's timeline. `given_up`: its event failed again and again and was set aside; feeds are built from the Store
 * instead. `unrecorded`: what was recorded is forgotten, after 7 days.
 */
export type DeliveryState =
  | 'waiting'
  | 'relayed'
  | 'in_work'
  | 'done'
  | 'pulled'
  | 'given_up'
  | 'unrecorded'

/** How the posts of an author reach feeds: pushed, merged on read, or (while that is switched) both. */
export type DeliveryMode = 'push' | 'both' | 'pull'

/** How far the fan-out of a post is. */
export interface PostDelivery {
  readonly post: PostId
  readonly state: DeliveryState
  /** When the work was done; null before. */
  readonly mode: DeliveryMode | null
  /** It was over an hour old when its event came, so it was not pushed: the feeds it belongs to are built again. */
  readonly backlog: boolean
  /** Of the author, now. May lag by about a second. */
  readonly followers: number
  readonly slices: { readonly done: number; readonly of: number }
  /** Feeds that took it. */
  readonly pushed: number
  /** Feeds that nobody had read for long: they are built when somebody does. */
  readonly cold: number
  /** Of those pushed: put in as late, over 15 s after it was posted. */
  readonly late: number
  /** Feeds that could not be reached: dropped, or, while `in_work`, tried again. */
  readonly failed: number
  /** ISO 8601 with ms, UTC; as all times here. */
  readonly createdAt: string
  /** `startedAt` where the mark was made later, or by another clock. */
  readonly relayedAt: string | null
  readonly startedAt: string | null
  readonly doneAt: string | null
}

/** Why the feed does not show a post. */
export type HiddenCode =
  | 'post_unknown'
  | 'post_deleted'
  | 'author_suspended'
  | 'author_gone'
  | 'blocked_by_reader'
  | 'blocked_by_author'
  | 'follow_requested'
  /** Followed before: ended by the reader, by the author, or by a block of either. */
  | 'unfollowed'
  | 'not_followed'
  | 'muted'
  | 'hidden'

/** Why the feed does not show a post that it should show: it is on its way, or its list is wrong. */
export type LackingCode = 'waiting' | 'relayed' | 'in_work' | 'given_up' | 'missing'

/** Where a page takes a post from. */
export type ShownCode =
  | 'in_feed'
  | 'in_timeline'
  | 'feed_cold'
  | 'feed_building'
  | 'feed_unreachable'
  | 'feed_owed'
  | 'below_floor'
  | 'timeline_cold'
  | 'timeline_below_floor'

/** What the records tell. */
export type RecordCode =
  | 'own_post'
  | 'pushed'
  | 'pushed_late'
  | 'not_pushed'
  | 'push_failed'
  | 'pulled'
  | 'backlog'
  | 'no_record'

export interface Reason {
  readonly code: HiddenCode | LackingCode | ShownCode | RecordCode
  /** For people. */
  readonly message: string
}

/** What a worker recorded of the slice of followers that the reader stood in, or of all. */
export interface WorkRecord {
  readonly at: string
  /** Machine and process. */
  readonly worker: string
  /** `failed`: the pushes were not confirmed, and done again. */
  readonly work: 'pushed' | 'failed' | 'pulled' | 'backlog'
  readonly mode: DeliveryMode
  /** From 1; 0 where nothing is pushed. */
  readonly slice: number
  /** Whether the reader's feed took the post. */
  readonly took: boolean
  readonly pushed: number
  readonly cold: number
  readonly late: number
  readonly failed: number
}

/** The event that tells workers of a post. */
export interface PostEvent {
  readonly id: string
  readonly lane: number
  /** In Kafka; else null. */
  readonly partition: number | null
  readonly offset: string | null
  /** With change data capture when it was written, told once a worker has recorded it. */
  readonly relayedAt: string | null
  readonly givenUp: { readonly at: string; readonly reason: string } | null
}

/** Why a post is, or is not, in a reader's feed. */
export interface Explanation {
  readonly reader: UserId
  readonly post: PostId
  /** Null when there is no such post. */
  readonly author: UserId | null
  /** Whether the feed shows it now. */
  readonly shown: boolean
  /** The answer for people. */
  readonly summary: string
  /** What decides first, then what the records tell. */
  readonly reasons: readonly Reason[]
  /** Where a page takes it from; null when it is not shown. */
  readonly source: 'feed' | 'timeline' | 'store' | null
  /** From 1, among all that the feed shows; null when it is not shown, or lies deeper than 1,000 posts. */
  readonly position: number | null
  /** From 1, with 20 posts a page. */
  readonly page: number | null
  /** The reader's list. It is complete above `floor`: below, the Store is read. */
  readonly feed: {
    readonly state: 'cold' | 'building' | 'warm' | 'unreachable'
    readonly floor: PostId | null
    readonly holds: boolean
  }
  /** Null when it is not known: over 7 days old. */
  readonly event: PostEvent | null
  /** Newest first: more than one after failures and repetitions. */
  readonly records: readonly WorkRecord[]
  /** Null when there is no such post. */
  readonly delivery: PostDelivery | null
}
