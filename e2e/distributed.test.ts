import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import test, { type TestContext } from 'node:test'
import { runImport } from '../packages/server/src/cli/import/run.ts'
import { openSource } from '../packages/server/src/cli/import/source.ts'
import { allUsers, spreadOver } from '../packages/server/src/cli/import/spread.ts'
import { type ServiceName, urlInEnvironment } from '../scripts/services/service.ts'
import { testData } from '../testkit/data.ts'
import { startDebezium } from '../testkit/debezium.ts'
import { type Fleet, startFleet } from '../testkit/fleet.ts'
import { testDatabase } from '../testkit/postgres.ts'
import { without } from '../testkit/services.ts'

/** Every n-th reader is verified; 1 by hand. */
const EACH = Number(process.env.FANWISE_TEST_EACH ?? 8)

async function load({ admin }: Fleet, folder: string): Promise<string[]> {
  const data = await testData(folder)
  const options = { undirected: true, columns: new Map<string, string>() }
  await runImport(admin, await openSource(data.edges, options))
  const people = await allUsers(admin)
  const spread = spreadOver(people)
  const posts = await openSource(data.posts, options)
  await runImport(
    admin,
    (async function* () {
      for await (const record of posts) yield spread(record)
    })()
  )
  return people
}

/** Feeds are read, so that they are warm, then people post, so that pushes reach them. */
async function live({ admin }: Fleet, people: readonly string[], each: number): Promise<void> {
  const readers = people.filter((_, index) => index % each === 0)
  for (const reader of readers) await admin.as(reader).feed()
  assert.ok(await admin.settle(60_000), 'not settled')
  for (const author of readers) await admin.as(author).createPost({ content: `live of ${author}` })
  for (const [index, reader] of readers.entries())
    if (index % 5 === 0)
      await admin
        .as(reader)
        .follow(people[(index * 7 + 1) % people.length] ?? reader)
        .catch(() => {})
  assert.ok(await admin.settle(60_000), 'not settled')
}

async function verify({ admin }: Fleet, people: readonly string[], each: number): Promise<void> {
  let warm = 0
  let seam = 0
  for (const [index, reader] of people.entries()) {
    if (index % each !== 0) continue
    const report = await admin.verify(reader)
    assert.equal(report.differences, 0, JSON.stringify(report.examples))
    warm += report.pages.warm
    seam += report.pages.seam
  }
  assert.ok(warm > 0 && seam > 0)
}

async function run(t: TestContext, redis: 'redis' | 'redis-cluster', env: Record<string, string>) {
  const folder = await mkdtemp(path.join(tmpdir(), 'fanwise-distributed-'))
  t.after(() => rm(folder, { recursive: true }))
  const databaseUrl = await testDatabase(t)
  const kafka = urlInEnvironment('kafka') ?? ''
  const fleet = await startFleet(t, {
    databaseUrl,
    redisUrl: urlInEnvironment(redis) ?? '',
    kafka,
    ...(env.FANWISE_RELAY === 'cdc' && {
      members: { api1: 'api', fanout1: 'fanout', fanout2: 'fanout', janitor: 'janitor' }
    }),
    env: { FANWISE_THRESHOLD: '100', ...env }
  })
  await using _debezium = env.FANWISE_RELAY === 'cdc' ? await carry(fleet) : undefined
  const people = await load(fleet, folder)
  // With Debezium each wait for events takes a second or two: its slot is confirmed now and then.
  const each = env.FANWISE_RELAY === 'cdc' ? 5 * EACH : EACH
  await live(fleet, people, each)
  await verify(fleet, people, each)
  await Promise.all(fleet.members.map(member => member.stop()))
}

function carry({ databaseUrl, prefix }: Fleet) {
  const connectUrl = urlInEnvironment('connect') ?? ''
  const settings = { 'heartbeat.interval.ms': '250' }
  return startDebezium({ connectUrl, databaseUrl, prefix, settings })
}

function variant(
  name: string,
  needs: ServiceName[],
  redis: 'redis' | 'redis-cluster',
  env: Record<string, string>
) {
  test(
    `roles as processes, a real graph, every feed exact: ${name}`,
    { skip: without(...needs) },
    t => run(t, redis, env)
  )
}

variant('lists on one Redis', ['redis', 'kafka'], 'redis', {})
variant('sorted sets on one Redis', ['redis', 'kafka'], 'redis', { FANWISE_FEEDS: 'zset' })
variant('lists on a cluster', ['redis-cluster', 'kafka'], 'redis-cluster', {})
variant(
  'sorted sets on a cluster, carried by Debezium',
  ['redis-cluster', 'kafka', 'connect'],
  'redis-cluster',
  {
    FANWISE_FEEDS: 'zset',
    FANWISE_RELAY: 'cdc'
  }
)
