import { randomUUID } from 'node:crypto'
import { describe } from 'node:test'
import { urlInEnvironment } from '../../../../../scripts/services/service.ts'
import { keyTime } from '../../../../../testkit/redis.ts'
import { without } from '../../../../../testkit/services.ts'
import { feedsConformance } from '../../ports/feeds.conformance.ts'
import { createSilentTelemetry } from '../memory/telemetry.ts'
import { createSystemClock } from '../system/clock.ts'
import { createRedisFeeds } from './feeds.ts'

for (const service of ['redis', 'redis-cluster'] as const)
  for (const kind of ['list', 'zset'] as const)
    describe(`${kind}s in ${service}`, { skip: without(service) }, () => conform(service, kind))

function conform(service: 'redis' | 'redis-cluster', kind: 'list' | 'zset'): void {
  const urls = (urlInEnvironment(service) ?? '').split(',')
  feedsConformance(
    `${kind}s`,
    async (t, limits) => {
      const prefix = `${randomUUID()}:`
      const time = await keyTime(t, urls, `${prefix}*:{*[0-9]}`)
      const clock = createSystemClock()
      const telemetry = createSilentTelemetry()
      const cluster = service === 'redis-cluster'
      const feeds = await createRedisFeeds({
        urls,
        cluster,
        prefix,
        clock,
        telemetry,
        limits,
        kind
      })
      t.after(() => feeds[Symbol.asyncDispose]())
      return { feeds, clock, time }
    },
    // The lives of keys go by; ids and the server's clock stay, so nothing becomes late.
    ({ time }, ms) => time.age(ms)
  )
}
