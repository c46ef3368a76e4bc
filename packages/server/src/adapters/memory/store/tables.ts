import type { FeedEvent } from '../../../domain/event.ts'
import type { Post } from '../../../domain/post.ts'
import type { PostId } from '../../../domain/post-id.ts'
import type { Delivery, User, UserCounts } from '../../../domain/user.ts'
import type { LedgerRow } from '../../../ports/ledger.ts'
import { Edges } from './edges.ts'

export type UserRow = Omit<User, 'counts'> & { readonly lastSeenAt: number | null }

export interface DeliveryRow {
  readonly delivery: Delivery
  readonly version: number
  readonly pullUntil: PostId
}

export interface CutRow {
  readonly version: string
  readonly seenAt: number | null
}

export interface KeyRow {
  readonly hash: string
  readonly outcome: { readonly value: unknown } | null
  /** The post or user whose words the outcome holds. */
  readonly about: PostId | number | null
  /** Unix ms. */
  readonly madeAt: number
}

export interface OutboxRow {
  readonly seq: number
  readonly lane: number
  readonly event: FeedEvent
  /** How often it was given up. */
  readonly attempts: number
}

export interface DeadRow extends OutboxRow {
  readonly reason: string
  /** Unix ms. */
  readonly diedAt: number
}

export type UserDelta = { readonly user: number } & Partial<UserCounts>

export interface LikeDelta {
  readonly post: PostId
  readonly by: number
}

/** What is committed. A row is replaced, never changed in place. */
export interface Tables {
  readonly users: Map<number, UserRow>
  readonly numbers: Map<string, number>
  readonly delivery: Map<number, DeliveryRow>
  readonly userCounts: Map<number, UserCounts>
  readonly userDeltas: Set<UserDelta>
  readonly posts: Map<PostId, Post>
  /** Ids of live posts by author, ascending. */
  readonly timelines: Map<number, readonly PostId[]>
  /** By `externalKey`. */
  readonly externalIds: Map<string, PostId>
  readonly follows: Edges
  readonly blocks: Edges
  readonly mutes: Edges
  /** From who asks to follow to whom they ask. */
  readonly requests: Edges
  /** Accounts that turned public: requests up to this number are accepted. */
  readonly openings: Map<number, number>
  readonly hides: Map<number, ReadonlySet<PostId>>
  /** By reader, then author. */
  readonly cuts: Map<number, ReadonlyMap<number, CutRow>>
  /** By user. */
  readonly likes: Map<number, ReadonlySet<PostId>>
  readonly likeCounts: Map<PostId, number>
  readonly likeDeltas: Set<LikeDelta>
  readonly keys: Map<string, KeyRow>
  /** Unpublished rows by number. */
  readonly outbox: Map<number, OutboxRow>
  readonly published: Map<number, OutboxRow & { readonly at: number }>
  readonly dead: Map<number, DeadRow>
  ledger: LedgerRow[]
  epoch: number
}

export function createTables(): Tables {
  return {
    users: new Map(),
    numbers: new Map(),
    delivery: new Map(),
    userCounts: new Map(),
    userDeltas: new Set(),
    posts: new Map(),
    timelines: new Map(),
    externalIds: new Map(),
    follows: new Edges(),
    blocks: new Edges(),
    mutes: new Edges(),
    requests: new Edges(),
    openings: new Map(),
    hides: new Map(),
    cuts: new Map(),
    likes: new Map(),
    likeCounts: new Map(),
    likeDeltas: new Set(),
    keys: new Map(),
    outbox: new Map(),
    published: new Map(),
    dead: new Map(),
    ledger: [],
    epoch: 1
  }
}

/** Adds to or takes from one of the sets that a table keeps by user. */
export function toggle<V>(
  table: Map<number, ReadonlySet<V>>,
  user: number,
  value: V,
  on: boolean
): void {
  const values = new Set(table.get(user))
  if (on) values.add(value)
  else values.delete(value)
  table.set(user, values)
}

/** Sets a cut, or removes it with null. */
export function putCut(tables: Tables, reader: number, author: number, cut: CutRow | null): void {
  const cuts = new Map(tables.cuts.get(reader))
  if (cut === null) cuts.delete(author)
  else cuts.set(author, cut)
  tables.cuts.set(reader, cuts)
}

export function externalKey(author: number, externalId: string): string {
  return `${author} ${externalId}`
}
