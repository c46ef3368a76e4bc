import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { FeedsLimits } from '../domain/limits.ts'
import type { PostId } from '../domain/post-id.ts'
import type { Clock } from './clock.ts'
import type { Feeds } from './feeds.ts'

/** An empty Feeds of its own; `clock` tells the time by which it decides what is late. */
export interface FeedsUnderTest {
  readonly feeds: Feeds
  readonly clock: Pick<Clock, 'now'>
}

export const LIMITS = {
  cap: 10,
  slack: 3,
  idleMs: 3_600_000,
  buildMs: 10_000,
  sessionMs: 600_000
} as const satisfies FeedsLimits

export interface SetUp<T extends FeedsUnderTest> {
  subject: T
  feeds: Feeds
  clock: Pick<Clock, 'now'>
  /** An id made `s` seconds before the test began; ids of different `seq` differ. */
  ago(s: number, seq?: number): PostId
}

export type Make<T extends FeedsUnderTest> = (
  t: TestContext,
  limits?: Partial<FeedsLimits>
) => Promise<SetUp<T>>

/** The lease on rules that nobody has. */
export async function leaseOf(feeds: Feeds, reader: number): Promise<string> {
  const read = await feeds.rules(reader)
  assert.ok('lease' in read && read.lease !== null, 'a lease was expected')
  return read.lease
}
