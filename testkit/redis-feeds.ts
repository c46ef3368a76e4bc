// Feeds in a Redis, as a process of the fleet has them.
import type { TestContext } from 'node:test'
import {
  createSilentTelemetry,
  type SilentTelemetry
} from '../packages/server/src/adapters/memory/telemetry.ts'
import {
  createRedisFeeds,
  type RedisFeedsOptions
} from '../packages/server/src/adapters/redis/feeds.ts'
import { createSystemClock } from '../packages/server/src/adapters/system/clock.ts'
import type { PostId } from '../packages/server/src/domain/post-id.ts'
import type { Feeds, ListKey } from '../packages/server/src/ports/feeds.ts'
import { waitUntil } from '../scripts/services/wait-until.ts'

export const clock = createSystemClock()

export interface Member {
  readonly feeds: Feeds
  readonly telemetry: SilentTelemetry
}

/** One process of the fleet; it ends with the test. */
export async function joinFleet(
  t: TestContext,
  urls: readonly string[],
  options: Partial<RedisFeedsOptions> = {}
): Promise<Member> {
  const telemetry = createSilentTelemetry()
  const limits = { cap: 100, slack: 10, idleMs: 86_400_000, buildMs: 10_000 }
  const feeds = await createRedisFeeds({ urls, clock, limits, telemetry, ...options })
  t.after(() => feeds[Symbol.asyncDispose]())
  return { feeds, telemetry }
}

/** Makes a list warm that holds `ids`, newest first, and nothing below. */
export async function warm(feeds: Feeds, list: ListKey, ids: readonly PostId[] = []) {
  const token = String(clock.random())
  if (!(await feeds.begin(list, token))) throw new Error(`${list} is not cold`)
  if (!(await feeds.finish(list, token, ids, true))) throw new Error(`${list} was taken away`)
}

/** Until `check` holds; a failure is a no. @throws Error when that takes over `ms` */
export async function eventually(check: () => Promise<boolean>, ms = 10_000): Promise<void> {
  if (!(await waitUntil(check, ms, 20))) throw new Error(`Not within ${ms} ms`)
}
