// An event that fails until it is given up, over Kafka and Redis: found, mended and retried with the command line.
import assert from 'node:assert/strict'
import test, { after, before, type TestContext } from 'node:test'
import type { DeadEvent, DeadRecord } from '@fanwise/sdk'
import { createClient } from 'redis'
import { withClient } from '../packages/server/src/adapters/postgres/bundled/with-client.ts'
import { type Services, startServices } from '../scripts/services/start-services.ts'
import { sendGarbage } from '../testkit/fault-kafka.ts'
import { type Fleet, startFleet } from '../testkit/fleet.ts'
import { until } from '../testkit/kafka.ts'
import { testDatabase } from '../testkit/postgres.ts'
import { cliJson, type Place, runCli, testPlace } from '../testkit/process.ts'
import { SECRET, SERVER_KEY } from '../testkit/server.ts'

const PARTITIONS = 4

/** What the workers read of an author is gone: events of posts fail, and waiting does not help. */
const BREAK = 'alter table users rename column delivery_version to gone_astray'
const MEND = 'alter table users rename column gone_astray to delivery_version'

let services: Services<'redis' | 'kafka'>

before(async () => {
  services = await startServices(['redis', 'kafka'])
})
after(() => services.stop())

interface Listed {
  readonly events: readonly DeadEvent[]
  readonly records: readonly DeadRecord[]
}

async function stage(t: TestContext): Promise<{ fleet: Fleet; place: Place }> {
  const databaseUrl = await testDatabase(t)
  const [redisUrl, kafka] = [services.redis.url, services.kafka.url]
  const members = { api1: 'api', work: 'relay,fanout,janitor' }
  const fleet = await startFleet(t, { databaseUrl, redisUrl, kafka, members })
  const place = await testPlace(t, {
    ...{ DATABASE_URL: databaseUrl, FANWISE_REDIS_URL: redisUrl, FANWISE_KAFKA_BROKERS: kafka },
    ...{ FANWISE_PREFIX: fleet.prefix, FANWISE_SECRET: SECRET, FANWISE_SERVER_KEY: SERVER_KEY },
    ...{ FANWISE_CAP: '50', FANWISE_THRESHOLD: '20', FANWISE_KAFKA_PARTITIONS: `${PARTITIONS}` }
  })
  return { fleet, place }
}

async function list(place: Place): Promise<Listed> {
  return (await cliJson(place, 'dead', 'list')) as unknown as Listed
}

/** Takes a post out of all lists behind the server's back, as if they could not have been dropped. */
async function takeOut(post: string, prefix: string): Promise<number> {
  const redis = createClient({ url: services.redis.url })
  await redis.connect()
  let taken = 0
  for await (const keys of redis.scanIterator({ MATCH: `${prefix}:*`, TYPE: 'list' }))
    for (const key of keys)
      for (const entry of await redis.lRange(key, 0, -1))
        if (entry.includes(post)) taken += await redis.lRem(key, 0, entry)
  await redis.close()
  return taken
}

test('CC-16: dead list, retry and drop beside a fleet', async t => {
  const { fleet, place } = await stage(t)
  const { admin } = fleet
  await admin.batch({ follows: [{ follower: 'bob', followee: 'ann' }] })
  assert.ok(await admin.settle(30_000))
  await withClient(fleet.databaseUrl, client => client.query(BREAK))
  const { id: post } = await admin.as('ann').createPost({ content: 'It arrives late.' })
  await until('it is given up', async () => (await admin.stats()).outboxDead === 1, 60_000)
  const table = await runCli(place, 'dead', 'list')
  assert.match(table.stdout, new RegExp(`post +${post} of ann .* 1 +.*delivery_version`))
  const again = await runCli(place, 'dead', 'retry', '--all')
  assert.equal(again.code, 1, again.stdout + again.stderr)
  await withClient(fleet.databaseUrl, client => client.query(MEND))
  const { events } = await list(place)
  assert.deepEqual(
    events.map(event => [event.post, event.attempts]),
    [[post, 2]]
  )
  const pageOf = async () => (await admin.as('bob').feed()).items.map(({ id }) => id)
  assert.deepEqual(await pageOf(), [post], 'the lists were dropped: nothing is missing')
  assert.ok(await admin.settle(30_000))
  assert.ok((await takeOut(post, fleet.prefix)) > 0)
  assert.deepEqual(await pageOf(), [])
  const retried = await cliJson(place, 'dead', 'retry', events[0]!.id)
  assert.deepEqual(retried, { retried: 1, again: [], settled: true })
  assert.deepEqual(await pageOf(), [post])
  assert.deepEqual((await list(place)).events, [])
  assert.equal((await admin.verify('bob')).differences, 0)

  await sendGarbage(services.kafka.url, `${fleet.prefix}.events`, PARTITIONS)
  await until('records are laid aside', async () => (await list(place)).records.length > 0, 60_000)
  const forgotten = async () => {
    const dropped = await runCli(place, 'dead', 'drop', '--records')
    assert.equal(dropped.code, 0, dropped.stderr)
    return (await list(place)).records.length === 0
  }
  await until('they are forgotten, those that came later too', forgotten, 60_000)
  const nothing = await runCli(place, 'dead', 'drop', '1')
  assert.deepEqual([nothing.code, nothing.stdout], [1, ''])
  assert.match(nothing.stderr, /no event 1 among those that were given up/)
})
