// Cases of many users at a size that is set from outside: FANWISE_TEST_LOAD, 1 for the full one.
import type { BatchPost } from '@fanwise/sdk'
import { atOnce } from './faults.ts'
import type { Fleet } from './fleet.ts'

const BATCH = 1000

/** A count of the full size, made as small as the run is: a tenth unless FANWISE_TEST_LOAD says more or less. */
export function scaled(full: number): number {
  return Math.max(1, Math.round(full * Number(process.env.FANWISE_TEST_LOAD || 0.1)))
}

/** `count` users who follow one author: their ids. */
export async function crowdOf(fleet: Fleet, followee: string, count: number): Promise<string[]> {
  const crowd = Array.from({ length: count }, (_, i) => `${followee}-${i}`)
  const pairs = crowd.map(follower => ({ follower, followee }))
  await inBatches(pairs, follows => fleet.admin.batch({ follows }))
  return crowd
}

/** Old posts of one author, a minute apart, which nobody pushes. */
export async function historyOf(fleet: Fleet, author: string, count: number): Promise<void> {
  const newest = Date.now() - 86_400_000
  const posts: BatchPost[] = Array.from({ length: count }, (_, i) => ({
    author,
    content: `${author} ${i}`,
    createdAt: new Date(newest - i * 60_000).toISOString()
  }))
  await inBatches(posts, some => fleet.admin.batch({ posts: some }))
}

async function inBatches<T>(
  all: readonly T[],
  send: (some: readonly T[]) => Promise<unknown>
): Promise<void> {
  const count = Math.ceil(all.length / BATCH)
  await atOnce(3, count, i => send(all.slice(i * BATCH, (i + 1) * BATCH)))
}

/** A share of the smallest to the largest, such as 0.5 for the median and 0.99. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

/** How long it takes, ms. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}
