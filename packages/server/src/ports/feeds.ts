import type { PostId } from '../domain/post-id.ts'
import type { Rules } from '../domain/rules.ts'

/** A reader's feed or an author's timeline, by the user's number. */
export type ListKey = `feed:${number}` | `timeline:${number}`

export interface Push {
  readonly list: ListKey
  readonly id: PostId
  /** Marked late whatever its age: backfills. Otherwise the adapter decides by the Feeds clock when it writes. */
  readonly late?: true
}

/**
 * What became of a push. `late`: the list took it marked late; one that keeps its order needs no mark and answers
 * `pushed`. `cold`: nothing happened. `dropped`: it could not be confirmed in time, and the list is cold now.
 */
export type Pushed = 'pushed' | 'late' | 'cold' | 'dropped'

/**
 * A part of a warm list. `ids` fall strictly from below the asked bound. `floor`: the list is complete above it
 * ('0' = to the beginning, or irrelevant because `ids` reached the limit). `unsettled`: late ids were met.
 */
export interface Taken {
  readonly state: 'cold' | 'building' | 'warm'
  readonly ids: readonly PostId[]
  readonly floor: PostId
  readonly unsettled: boolean
}

export type RulesRead =
  | { readonly rules: Rules }
  /** Absent. `lease` is null when another loader holds it: use what you load, but don't fill. */
  | { readonly lease: string | null }

/** What other parts of the fleet cached and must forget. */
export interface Change {
  readonly posts?: readonly PostId[]
  readonly users?: readonly number[]
  /** Some changes may not have been heard: all that is kept has to go. */
  readonly everything?: true
}

/** A walk of a reader's feed that is frozen: the ids that were shown so far, newest first. */
export interface Session {
  readonly id: string
  /** Ids of the whole walk. */
  readonly length: number
  /** The last of the whole walk; null when it is empty. */
  readonly last: PostId | null
  /** Of the part that was asked for. */
  readonly ids: readonly PostId[]
}

/** Places of a session from 0 on: `to` is the first one behind it. */
export interface SessionPart {
  readonly from: number
  readonly to: number
}

/** Of one reader; with one more, the one made first goes. */
export const SESSIONS_MAX = 2

export interface FeedsStats {
  readonly warm: number
  readonly bytes: number
}

/**
 * Precomputed lists of post ids: a projection that may vanish at any time, whole or in part. Absent never means empty.
 * A method that rejects may have been done or not; every one may be repeated.
 */
export interface Feeds extends AsyncDisposable {
  /**
   * Adds ids to those lists that are warm or being built; nothing happens to cold ones. A list where a push could
   * not be confirmed in time is dropped before this resolves: never a hole. Tells what became of each, in their order.
   */
  push(pushes: readonly Push[]): Promise<readonly Pushed[]>
  /** One atomic read: up to `limit` ids below `below`, newest first. Renews the idle time of a finished list, if reads count. */
  take(list: ListKey, below: PostId, limit: number): Promise<Taken>
  /** The lowest floor that the list can come to claim: '0' while building, null when cold. */
  lowestFloor(list: ListKey): Promise<PostId | null>
  /** Creates a list that is being built, if it is cold. False: somebody else builds, or it is warm. */
  begin(list: ListKey, token: string): Promise<boolean>
  /**
   * Ends a build: `ids` (newest first) are merged with what was pushed meanwhile and cut at the cap. `complete` tells
   * that nothing lies below `ids`. False when the token is no longer that of the list; nothing changed then.
   */
  finish(list: ListKey, token: string, ids: readonly PostId[], complete: boolean): Promise<boolean>
  /** Puts late ids in place. */
  settle(list: ListKey): Promise<void>
  drop(lists: readonly ListKey[]): Promise<void>
  /** Takes ids out of a list, warm or not. */
  remove(list: ListKey, ids: readonly PostId[]): Promise<void>
  /** Forgets everything: all lists and rules. */
  clear(): Promise<void>
  /** Forgets everything unless it was made under this epoch of the Store. Returns whether it did. */
  adopt(epoch: number): Promise<boolean>

  rules(reader: number): Promise<RulesRead>
  /** Keeps loaded rules, only if the lease is still the current one. */
  fillRules(reader: number, lease: string, rules: Rules): Promise<void>
  /** Voids rules and leases. Rejects unless that is certain. */
  dropRules(readers: readonly number[]): Promise<void>

  /** A reader's session; `id` null: the one made last. Null when there is none, or none any more. */
  session(reader: number, id: string | null, part: SessionPart): Promise<Session | null>
  /**
   * Adds ids to a session that has `length` of them; begins one when `length` is 0 and there is none. False: it has
   * another length by now, or is gone. Keeps the reader's sessions for their full life from now on.
   */
  extendSession(
    reader: number,
    id: string,
    length: number,
    ids: readonly PostId[]
  ): Promise<boolean>

  /** Tells every process, this one included, what to forget. Resolves when this process has forgotten it. */
  announce(change: Change): Promise<void>
  subscribe(listener: (change: Change) => void): void
  /**
   * Whether this process has heard all that was announced until 100 ms ago. Otherwise what it keeps may be out of
   * date and must not be used; it may be used again once this holds, less what was told to be forgotten.
   */
  inStep(): boolean

  /** Trims to the byte budget and forgets idle lists, as far as the engine does not do so by itself. Returns how many went. */
  expire(): Promise<number>
  stats(): Promise<FeedsStats>
}
