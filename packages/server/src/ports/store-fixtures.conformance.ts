import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { type ErrorCode, Problem } from '../domain/errors.ts'
import type { FeedEvent } from '../domain/event.ts'
import type { ImportedPost } from '../domain/post.ts'
import type { PostId } from '../domain/post-id.ts'
import type { IdempotencyKey, Lanes, MemberList, Store } from './store.ts'

/** A Store without a row, for one test. `limits` hold where they are given. */
export type MakeStore = (
  t: TestContext,
  limits?: { followsMax?: number; requestsMax?: number; rulesMax?: number }
) => Promise<Store>

/** What a Store's maker can do besides, if it can. */
export interface StoreHooks {
  /** Moves the Store's own clock. */
  readonly stepClock?: (store: Store, ms: number) => void | Promise<void>
}

/** The numbers of users with these ids, in their order. */
export async function people<T extends readonly string[]>(
  store: Store,
  ...ids: T
): Promise<{ [K in keyof T]: number }> {
  const users = new Map((await store.ensureUsers(ids)).map(user => [user.id, user.number]))
  return ids.map(id => users.get(id)!) as { [K in keyof T]: number }
}

export async function publish(store: Store, author: number, content = 'words'): Promise<PostId> {
  return (await store.publish({ author, content, attrs: {} })).value.post.id
}

/** A post made at that time. */
export function made(author: number, createdAt: number | null, externalId?: string): ImportedPost {
  return { author, content: 'words', attrs: {}, createdAt, externalId: externalId ?? null }
}

export async function importIds(store: Store, posts: readonly ImportedPost[]): Promise<PostId[]> {
  return (await store.importPosts(posts)).map(result => result.id)
}

export function key(owner: number, text = 'key', hash = 'hash'): IdempotencyKey {
  return { owner, key: text, hash }
}

export async function refuses(work: Promise<unknown>, code: ErrorCode): Promise<void> {
  await assert.rejects(work, error => {
    assert.ok(error instanceof Problem, `a Problem, not ${String(error)}`)
    assert.equal(error.code, code)
    return true
  })
}

/** Newest first. */
export function descending(ids: readonly PostId[]): PostId[] {
  return [...ids].sort((a, b) => (a < b ? 1 : -1))
}

export function ascending(numbers: Iterable<number>): number[] {
  return [...numbers].sort((a, b) => a - b)
}

/** Reads and marks all that is unpublished. */
export async function drain(lanes: Lanes): Promise<FeedEvent[]> {
  const events: FeedEvent[] = []
  for (;;) {
    const logged = await lanes.unpublished(await lanes.claim(), 100)
    if (logged.length === 0) return events
    events.push(...logged.map(({ event }) => event))
    await lanes.markPublished(logged.map(({ id }) => id))
  }
}

/** The events that some work writes, sorted: the order across authors says nothing. */
export async function eventsOf(store: Store, work: () => Promise<unknown>): Promise<FeedEvent[]> {
  await using lanes = await store.openLanes()
  await drain(lanes)
  await work()
  return sorted(await drain(lanes))
}

export function sorted(events: readonly FeedEvent[]): FeedEvent[] {
  const text = (event: FeedEvent) => JSON.stringify(Object.entries(event).sort())
  return [...events].sort((a, b) => (text(a) < text(b) ? -1 : 1))
}

export async function flush(store: Store): Promise<number> {
  let moved = 0
  for (let step = 1; step > 0; moved += step) step = await store.flushCounts(1000)
  return moved
}

export async function countsOf(store: Store, number: number) {
  return (await store.usersByNumbers([number]))[0]?.counts
}

/** All pages of a list, as users. */
export async function walk(
  store: Store,
  list: MemberList,
  owner: number,
  limit = 100
): Promise<number[]> {
  const users: number[] = []
  for (let before: string | null = null; ; ) {
    const page = await store.members(list, owner, before, limit)
    users.push(...page.map(member => member.user))
    before = page.at(-1)?.position ?? null
    if (page.length < limit) return users
  }
}
