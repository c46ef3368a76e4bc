import type { PostId } from '../domain/post-id.ts'
import type { Delivery } from '../domain/user.ts'

/**
 * What was done of a post. `pushed`: to a slice of followers. `failed`: the pushes to a slice were not confirmed and are
 * done again. `pulled`: its author is in `pull`, so readers merge the timeline. `backlog`: it was too old to be pushed,
 * and the followers' feeds were dropped instead.
 */
export type LedgerWork = 'pushed' | 'failed' | 'pulled' | 'backlog'

/** What a worker did of a post for one slice of followers; or for all, where nothing is pushed. */
export interface LedgerRow {
  readonly post: PostId
  /** The outbox row of its event. */
  readonly event: string
  readonly lane: number
  /** Where the event stood in a log with partitions; null in one of lanes. */
  readonly partition: number | null
  readonly offset: string | null
  readonly worker: string
  /** Unix ms, by the worker's clock; kept as at most 1 minute ahead of the Store's, and 1 h behind. */
  readonly at: number
  /** Of the author, at that time. */
  readonly delivery: Delivery
  readonly work: LedgerWork
  /** From 1; 0 where nothing is pushed. */
  readonly slice: number
  /** How many there are; known with the last one. */
  readonly slices: number | null
  /** The followers of the slice lie between these, both included; 0 without any. */
  readonly first: number
  readonly last: number
  /** Lists that took it, late or not. */
  readonly pushed: number
  readonly cold: number
  /** Of those pushed: marked late. */
  readonly late: number
  /** Lists that had to be dropped, or, of `failed`, all of the slice. */
  readonly failed: number
  /** The followers whose lists took it, ascending. */
  readonly took: readonly number[]
}

/** A row as it is about one reader: whether their list took the post. */
export interface ReaderRow extends Omit<LedgerRow, 'took' | 'first' | 'last'> {
  readonly took: boolean
}

/** How far the work on a post is: the latest row of each slice. */
export interface Progress {
  readonly event: string
  readonly lane: number
  readonly partition: number | null
  readonly offset: string | null
  readonly delivery: Delivery
  readonly work: LedgerWork
  readonly slicesDone: number
  /** Null until the last slice is done. */
  readonly slices: number | null
  readonly pushed: number
  readonly cold: number
  readonly late: number
  readonly failed: number
  /** Unix ms. */
  readonly startedAt: number
  readonly latestAt: number
}

/** The outbox row that tells of a post. */
export interface PostEvent {
  readonly id: string
  readonly lane: number
  /**
   * Unix ms; null until it is safe in the log. With change data capture null until a worker has recorded the event, and
   * then when it was written.
   */
  readonly publishedAt: number | null
  readonly givenUp: { readonly at: number; readonly reason: string } | null
}

/** Of the events of a pair: one is not published; one was, in the last 10 minutes; or neither. */
export type RelationEvent = 'waiting' | 'published' | null

/** Records of fan-out, kept 7 days. For people who ask; nothing that is shown depends on them. */
export interface LedgerStore {
  /** Appends rows in one statement. */
  record(rows: readonly LedgerRow[]): Promise<void>
  /** The latest 20 rows of a post that are about all readers, or about a slice where this one would stand; newest first. */
  ledgerOf(post: PostId, reader: number): Promise<readonly ReaderRow[]>
  progressOf(post: PostId): Promise<Progress | null>
  /** `event` is its id if a worker has recorded one. Null when it is over 7 days old. */
  eventOf(post: PostId, author: number, event?: string): Promise<PostEvent | null>
  /** What was given up is left out. */
  relationEventOf(reader: number, author: number): Promise<RelationEvent>
}
