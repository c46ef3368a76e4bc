// A reader who follows thousands of authors of whom few ever post, on a large table of others' posts.
import assert from 'node:assert/strict'
import test from 'node:test'
import { withClient } from '../../packages/server/src/adapters/postgres/bundled/with-client.ts'
import { startServices } from '../../scripts/services/start-services.ts'
import { atOnce, quiet, setStage } from '../../testkit/faults.ts'
import type { Fleet } from '../../testkit/fleet.ts'
import { historyOf, quantile, scaled, timed } from '../../testkit/load.ts'
import { assertExact, verifyAll } from '../../testkit/outcome.ts'

const POSTS = scaled(1_000_000)
const FOLLOWS = scaled(5000)
const BLOCKS = scaled(2000)
const ACTIVE = 10
const DEEP_PAGES = 50

const OTHERS_POSTS = `
  insert into posts (shard, id, author, content)
  select shard_of_author(u.number), make_post_id(shard_of_author(u.number)), u.number, 'of others'
  from generate_series(1, $1::int) i
  join (select number, row_number() over () as nth from users where id like 'noisy%') u
    on u.nth = 1 + i % 100`

async function fill({ databaseUrl }: Fleet): Promise<void> {
  await withClient(databaseUrl, async client => {
    await client.query(OTHERS_POSTS, [POSTS])
    await client.query(`insert into user_deltas (user_number, posts)
      select author, count(*) from posts where content = 'of others' group by author`)
    await client.query('analyze')
  })
}

/** How often the posts were read from end to end so far. */
async function wholeReads({ databaseUrl }: Fleet): Promise<number> {
  const sql = `select sum(seq_scan)::int as scans from pg_stat_user_tables where relname ~ '^posts'`
  const { rows } = await withClient(databaseUrl, async client => {
    await client.query('select pg_stat_clear_snapshot()')
    return client.query<{ scans: number }>(sql)
  })
  return rows[0]?.scans as number
}

test(`ME-06: ${FOLLOWS} follows, ${ACTIVE} of whom post, ${BLOCKS} blocks, ${POSTS} posts of others: pages stay quick`, async t => {
  await using services = await startServices(['postgres', 'redis'], { useEnvironment: false })
  const { fleet, traffic } = await setStage(t, {
    ...{ postgresUrl: services.postgres.url, redisUrl: services.redis.url },
    traffic: { ...quiet, users: 10 }
  })
  const { admin } = fleet
  const names = (kind: string, count: number) =>
    Array.from({ length: count }, (_, i) => `${kind}${i}`)
  await admin.batch({ users: ['v', ...names('noisy', 100)].map(id => ({ id })) })
  const follows = names('silent', FOLLOWS).map(followee => ({ follower: 'v', followee }))
  await atOnce(1, Math.ceil(FOLLOWS / 1000), i =>
    admin.batch({ follows: follows.slice(i * 1000, (i + 1) * 1000) })
  )
  for (const author of names('silent', ACTIVE)) await historyOf(fleet, author, 120)
  const blocked = names('blocked', BLOCKS)
  for (let from = 0; from < BLOCKS; from += 1000)
    await admin.batch({ users: blocked.slice(from, from + 1000).map(id => ({ id })) })
  await atOnce(10, BLOCKS, i => admin.as('v').block(blocked[i] as string))
  await fill(fleet)
  assert.ok(await admin.settle(60_000), 'not settled')
  const scans = await wholeReads(fleet)
  const times: number[] = []
  let cursor: string | undefined
  for (let page = 0; page < DEEP_PAGES; page++) {
    times.push(
      await timed(async () => {
        const found = await admin
          .as('v')
          .feed({ limit: 20, ...(cursor !== undefined && { cursor }) })
        assert.equal(found.items.length, 20)
        cursor = found.nextCursor ?? undefined
      })
    )
  }
  t.diagnostic(
    `cold ${Math.round(times[0] as number)} ms, median ${Math.round(quantile(times, 0.5))} ms, slowest ${Math.round(Math.max(...times))} ms`
  )
  assert.ok(quantile(times, 0.5) < 300, 'half of the pages')
  assert.ok(Math.max(...times) < 3000, 'the slowest page')
  assert.equal(await wholeReads(fleet), scans, 'no page reads all posts')
  assert.equal((await verifyAll(fleet, ['v'])).differences, 0)
  await assertExact(t, fleet, traffic)
})
