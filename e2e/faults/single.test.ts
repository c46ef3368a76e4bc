// Processes that share Redis without Kafka die between claiming events and having pushed them.
import assert from 'node:assert/strict'
import test from 'node:test'
import type { Random } from '../../packages/server/src/cli/generate/random.ts'
import { startServices } from '../../scripts/services/start-services.ts'
import { pause, setStage } from '../../testkit/faults.ts'
import type { Member } from '../../testkit/fleet.ts'
import { until } from '../../testkit/kafka.ts'
import { assertExact, verifyAll } from '../../testkit/outcome.ts'
import { createProxy, type TcpProxy } from '../../testkit/tcp-proxy.ts'
import type { Traffic } from '../../testkit/traffic.ts'

const KILLS = Number(process.env.FANWISE_TEST_KILLS ?? 6)

/** Whoever holds the lanes takes up posts that others took, and its pushes or the answers to them are lost. */
async function dieAtWork(
  random: Random,
  authors: readonly string[],
  traffic: Traffic,
  { victim, proxy }: { victim: Member; proxy: TcpProxy }
): Promise<void> {
  const before = proxy.lostBytes
  const answersOnly = random.next() < 0.3
  if (answersOnly) proxy.swallowReplies()
  else proxy.blackhole()
  await Promise.all(authors.map(author => traffic.post(author)))
  if (answersOnly) await pause(random.index(300))
  else await until('it pushes', () => proxy.lostBytes > before, 5000)
  await victim.kill()
  proxy.heal()
}

/** A new worker drops the lists of whom its predecessor was busy with for so long. */
const PAST_MS = 20_000

/** Each time it is others who post, so that their lists are judged as the new worker found them. */
test(`${KILLS} times kill -9 between claiming and pushing, with Redis kept running`, async t => {
  await using services = await startServices(['postgres', 'redis'], { useEnvironment: false })
  const { port } = services.redis.servers[0] as { port: number }
  await using proxy1 = await createProxy(port)
  await using proxy2 = await createProxy(port)
  const through = (proxy: TcpProxy) => ({
    FANWISE_REDIS_URL: `redis://127.0.0.1:${proxy.port}`
  })
  const { fleet, traffic, random } = await setStage(t, {
    postgresUrl: services.postgres.url,
    redisUrl: services.redis.url,
    envOf: { all1: through(proxy1), all2: through(proxy2) },
    traffic: { users: 10 * KILLS, groups: KILLS }
  })
  await pause(PAST_MS)
  let judged = 0
  for (let kill = 0; kill < KILLS; kill++) {
    const name = kill % 2 === 0 ? 'all1' : 'all2'
    const victim = fleet.member(name)
    const proxy = name === 'all1' ? proxy1 : proxy2
    const group = traffic.group(kill)
    for (const user of group) await traffic.read(user)
    const authors = group.filter(user => traffic.memberOf(user) !== victim)
    await dieAtWork(random, authors, traffic, { victim, proxy })
    await victim.start()
    const report = await verifyAll(fleet, group)
    assert.equal(report.differences + report.pending, 0, JSON.stringify(report))
    judged += report.readers - report.cold
  }
  t.diagnostic(`${judged} feeds were judged that nobody had built again`)
  assert.ok(judged > 0)
  await assertExact(t, fleet, traffic, { coldAllowed: true })
})
