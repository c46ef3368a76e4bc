// Work in the background on large tables, while people like, post and read.
import assert from 'node:assert/strict'
import test, { after, before, type TestContext } from 'node:test'
import { withClient } from '../../packages/server/src/adapters/postgres/bundled/with-client.ts'
import { createPostgresStore } from '../../packages/server/src/adapters/postgres/store.ts'
import { BEGINNING, type PostId } from '../../packages/server/src/domain/post-id.ts'
import { type Services, startServices } from '../../scripts/services/start-services.ts'
import { atOnce, quiet, setStage } from '../../testkit/faults.ts'
import type { Fleet } from '../../testkit/fleet.ts'
import { quantile, scaled, timed } from '../../testkit/load.ts'
import { assertExact } from '../../testkit/outcome.ts'

let services: Services<'postgres' | 'redis'>

before(async () => {
  services = await startServices(['postgres', 'redis'], { useEnvironment: false })
})
after(() => services.stop())

function stage(t: TestContext) {
  return setStage(t, {
    ...{ postgresUrl: services.postgres.url, redisUrl: services.redis.url },
    traffic: { ...quiet, users: 20 }
  })
}

function run(
  fleet: Fleet,
  sql: string,
  values: unknown[] = []
): Promise<Record<string, unknown>[]> {
  return withClient(fleet.databaseUrl, async client => (await client.query(sql, values)).rows)
}

const POSTS = scaled(1_000_000)
const LIKES = scaled(4000)

/** Of one account that goes, and of one that stays; each second one is liked by somebody. */
const FILL = `
  with made as (
    insert into posts (shard, id, author, content)
    select shard_of_author(u.number), make_post_id(shard_of_author(u.number)), u.number, 'old'
    from generate_series(1, $1::int) i join users u on u.id = case i % 10 when 0 then 'leaver' else 'stayer' end
    returning shard, id, author
  ), counted as (
    insert into user_deltas (user_number, posts) select author, count(*) from made group by author
  ), liked as (
    insert into likes (user_number, post)
    select (select number from users where id = 'stayer'), id from made where id % 2 = 0 returning post
  )
  insert into post_counts (shard, post, likes)
  select ((post >> 12) & 511)::smallint, post, 1 from liked`

/** All jobs of the janitor, as fast as they go, until somebody says that it is enough. */
async function workOff(fleet: Fleet, isOver: () => boolean): Promise<number> {
  await using store = await createPostgresStore({ url: fleet.databaseUrl, poolMax: 3 })
  let post: PostId = BEGINNING
  let corrected = 0
  while (!isOver()) {
    const step = await store.recountLikes(post, 1000)
    post = step.next ?? BEGINNING
    corrected += step.corrected + (await store.recountUsers(0, 1000)).corrected
    await store.flushCounts(10_000)
    await store.cleanGone(1000)
    await store.expire(10_000)
  }
  return corrected
}

test(`ME-07: counts of ${POSTS} posts are compared and an account is cleaned up while people like`, async t => {
  const { fleet, traffic } = await stage(t)
  await fleet.admin.batch({ users: ['leaver', 'stayer'].map(id => ({ id })) })
  await run(fleet, FILL, [POSTS])
  await run(fleet, 'analyze')
  const { id } = await fleet.admin.as('u0').createPost({ content: 'liked' })
  const [old] = await run(
    fleet,
    `update post_counts set likes = likes + 7
     where post = (select min(p.id) from posts p join users u on u.number = p.author
       where u.id = 'stayer' and p.id % 2 = 0)
     returning post::text`
  )
  await fleet.admin.as('leaver').deleteMe()
  let over = false
  const working = workOff(fleet, () => over)
  const ms: number[] = []
  await atOnce(10, LIKES, async i => {
    const api = fleet.apis[i % fleet.apis.length]?.admin
    const user = traffic.users[i % traffic.users.length] as string
    const post = i % 3 === 0 ? id : (old?.post as string)
    const like = () => (i % 2 === 0 ? api?.as(user).like(post) : api?.as(user).unlike(post))
    ms.push(await timed(async () => like()))
  }).finally(() => {
    over = true
  })
  const corrected = await working
  t.diagnostic(
    `${LIKES} likes, p50 ${Math.round(quantile(ms, 0.5))} ms, p99 ${Math.round(quantile(ms, 0.99))} ms, ${corrected} corrected`
  )
  assert.ok(quantile(ms, 0.99) < 2000, 'likes wait for no job')
  await assertExact(t, fleet, traffic)
})

const EVENTS = scaled(200_000)
const ROUND = 2000

const RULES_EVENTS = `
  insert into outbox (aggregateid, type, lane, payload)
  select number, 'rules', lane_of_author(number), jsonb_build_object('type', 'rules', 'reader', number)
  from (select number from users where id = any($1::text[])) u, generate_series(1, $2::int)`

test(`OR-08: ${EVENTS} events go through while a transaction stays open, and leave nothing dead behind`, async t => {
  const { fleet, traffic } = await stage(t)
  const { users } = traffic
  const rounds: number[] = []
  await withClient(fleet.databaseUrl, async reader => {
    await reader.query('begin isolation level repeatable read; select count(*) from users')
    for (let sent = 0; sent < EVENTS; sent += ROUND) {
      await run(fleet, RULES_EVENTS, [users, Math.ceil(ROUND / users.length)])
      rounds.push(await timed(async () => assert.ok(await fleet.admin.settle(60_000))))
    }
    await reader.query('commit')
  })
  t.diagnostic(`rounds of ${ROUND}: ${rounds.map(ms => Math.round(ms)).join(' ')} ms`)
  assert.ok(quantile(rounds, 1) < 30_000)
  await run(fleet, 'vacuum analyze outbox')
  const [{ dead, rows, bytes } = {}] = await run(
    fleet,
    `select sum(n_dead_tup)::int as dead, sum(n_live_tup)::int as rows,
       sum(pg_total_relation_size(relid))::bigint as bytes
     from pg_stat_user_tables where relname like 'outbox%'`
  )
  t.diagnostic(`${rows} rows, ${dead} dead, ${bytes} bytes`)
  assert.ok((dead as number) < ROUND, `${dead} dead rows`)
  assert.ok(Number(bytes) / (rows as number) < 1500, `${bytes} bytes for ${rows} rows`)
  await assertExact(t, fleet, traffic)
})
