// How frozen walks lie in Redis: so that a page moves and rewrites little.
import assert from 'node:assert/strict'
import test from 'node:test'
import { ask, startRedis, withoutRedis } from '../../../../../testkit/redis.ts'
import { makePostId, type PostId } from '../../domain/post-id.ts'
import { createSilentTelemetry } from '../memory/telemetry.ts'
import { createSystemClock } from '../system/clock.ts'
import { createRedisFeeds } from './feeds.ts'

const limits = { cap: 10, slack: 3, idleMs: 3_600_000, buildMs: 10_000 }
const ID_BYTES = 20

test('a session lies in fields of 1,000 ids, which go with it', {
  skip: withoutRedis()
}, async t => {
  const { url } = await startRedis(t)
  const [clock, telemetry] = [createSystemClock(), createSilentTelemetry()]
  await using feeds = await createRedisFeeds({ urls: [url], clock, telemetry, limits })
  const now = clock.now()
  const ids: PostId[] = Array.from({ length: 2500 }, (_, n) => makePostId(now - n, 1, 1))
  const of = (...args: string[]) => ask(url, args[0] as string, 'session:{1}', ...args.slice(1))
  const fields = async () => ((await of('HKEYS')) as string[]).sort()
  await feeds.extendSession(1, 'a', 0, ids.slice(0, 1700))
  await feeds.extendSession(1, 'a', 1700, ids.slice(1700))
  assert.deepEqual(await fields(), ['a.0', 'a.1', 'a.2', 'a.end', 'names'])
  const lengths = ['a.0', 'a.1', 'a.2'].map(async field => Number(await of('HSTRLEN', field)))
  assert.deepEqual(
    await Promise.all(lengths),
    [1000, 1000, 500].map(count => count * ID_BYTES)
  )
  for (const id of ['b', 'c']) await feeds.extendSession(1, id, 0, ids.slice(0, 1))
  assert.deepEqual(await fields(), ['b.0', 'b.end', 'c.0', 'c.end', 'names'])
})
