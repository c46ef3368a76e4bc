import type { PostId } from './post-id.ts'

/**
 * What the Store tells the workers, through the outbox and the event log.
 * `relation` and `user` are hints: the worker looks again, so replay and reordering cannot mislead it.
 */
export type FeedEvent =
  | { readonly type: 'post'; readonly author: number; readonly post: PostId }
  | { readonly type: 'edit'; readonly author: number; readonly post: PostId }
  | { readonly type: 'delete'; readonly author: number; readonly post: PostId }
  | { readonly type: 'relation'; readonly author: number; readonly reader: number }
  | { readonly type: 'rules'; readonly reader: number }
  | { readonly type: 'user'; readonly author: number }

/** The user whose events stay in order: the author concerned, or the reader whose rules changed. */
export function eventKey(event: FeedEvent): number {
  return event.type === 'rules' ? event.reader : event.author
}

/** An event that was given up. */
export interface DeadEvent extends LoggedEvent {
  /** How often it was given up. */
  readonly attempts: number
  /** Unix ms. */
  readonly diedAt: number
  /** What it failed with the last time. */
  readonly reason: string
}

/** An event as the log carries it. `id` is its outbox row; the same id may arrive more than once. */
export interface LoggedEvent {
  readonly id: string
  readonly lane: number
  /** Where it stands in its partition, in a log that has some. */
  readonly offset?: string
  readonly event: FeedEvent
}
