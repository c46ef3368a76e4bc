// PostgreSQL restarts, has no connection left, no room left, or commits late what was written early.
import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import { withClient } from '../../packages/server/src/adapters/postgres/bundled/with-client.ts'
import { type Services, startServices } from '../../scripts/services/start-services.ts'
import { pause, setStage } from '../../testkit/faults.ts'
import { assertExact } from '../../testkit/outcome.ts'

let services: Services<'postgres' | 'redis'>

before(async () => {
  services = await startServices(['postgres', 'redis'], { useEnvironment: false })
})
after(() => services.stop())

const urls = () => ({ postgresUrl: services.postgres.url, redisUrl: services.redis.url })
const server = () => services.postgres.servers[0] as (typeof services.postgres.servers)[number]

test('PostgreSQL restarts, in good order and by kill -9', async t => {
  const { fleet, traffic } = await setStage(t, urls())
  await traffic.during(async () => {
    for (const end of [() => server().stop(), () => server().kill()]) {
      await pause(2000)
      await end()
      await pause(1000)
      await server().start()
    }
    await pause(3000)
  })
  await assertExact(t, fleet, traffic)
})

test('300 requests at once have two connections', async t => {
  const env = { FANWISE_POOL_MAX: '2' }
  const { fleet, traffic } = await setStage(t, { ...urls(), env })
  const before = traffic.report.posts
  for (let round = 0; round < 3; round++) {
    await Promise.all(
      Array.from({ length: 300 }, (_, i) => {
        const user = traffic.users[i % traffic.users.length] as string
        return i % 3 === 0 ? traffic.post(user) : traffic.read(user)
      })
    )
  }
  assert.ok(traffic.report.posts >= before + 100, traffic.summary())
  await assertExact(t, fleet, traffic)
})

const EARLY_POST = `
  with posted as (
    insert into posts (shard, id, author, content)
    select shard_of_author(number), make_post_id(shard_of_author(number)), number, 'early'
    from users where id = $1 returning author, id
  ), counted as (
    insert into user_deltas (user_number, posts) select author, 1 from posted
  ), sent as (
    insert into outbox (aggregateid, type, lane, payload)
    select author::text, 'post', lane_of_author(author),
      jsonb_build_object('type', 'post', 'author', author, 'post', id::text)
    from posted
  )
  select id::text from posted`

test('rows of the outbox are committed in another order than they were numbered', async t => {
  const { fleet, traffic } = await setStage(t, urls())
  await traffic.during(async () => {
    const held = traffic.users.map((user, i) =>
      withClient(fleet.databaseUrl, async client => {
        await client.query('begin')
        const { rows } = await client.query<{ id: string }>(EARLY_POST, [user])
        // Some of them so long that they count as late.
        await pause(i % 8 === 0 ? 17_000 : 200 * i)
        await client.query('commit')
        traffic.posts.set(rows[0]?.id as string, user)
      })
    )
    await Promise.all(held)
  })
  await assertExact(t, fleet, traffic)
})
