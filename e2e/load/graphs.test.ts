// The widest graphs: a reader who follows thousands, an author whom a million follow. Made by SQL, as they would grow.
import assert from 'node:assert/strict'
import test, { after, before, type TestContext } from 'node:test'
import { withClient } from '../../packages/server/src/adapters/postgres/bundled/with-client.ts'
import { type Services, startServices } from '../../scripts/services/start-services.ts'
import { quiet, setStage } from '../../testkit/faults.ts'
import type { Fleet } from '../../testkit/fleet.ts'
import { until } from '../../testkit/kafka.ts'
import { quantile, scaled, timed } from '../../testkit/load.ts'
import { assertExact } from '../../testkit/outcome.ts'
import { walk } from '../../testkit/walk.ts'

const FOLLOWS = scaled(10_000)
const FOLLOWERS = scaled(1_000_000)
const POSTS_EACH = 3
const PAGES = 20
const LATE_POSTS = 5
/** Each follower who goes is a row, two deltas and two events. */
const CLEANED_MS = 60_000 + FOLLOWERS

let services: Services<'postgres' | 'redis'>

before(async () => {
  services = await startServices(['postgres', 'redis'], { useEnvironment: false })
})
after(() => services.stop())

function stage(t: TestContext, env: Record<string, string> = {}) {
  return setStage(t, {
    ...{ postgresUrl: services.postgres.url, redisUrl: services.redis.url, env },
    traffic: { ...quiet, users: 10 }
  })
}

async function sql<T>({ databaseUrl }: Fleet, text: string, values: unknown[] = []): Promise<T[]> {
  return withClient(databaseUrl, async client => {
    const { rows } = await client.query(text, values)
    return rows as T[]
  })
}

/** Users by the names `kind1`, `kind2` ...; counts come from deltas as those of any other write. */
const USERS = `insert into users (id) select $1 || n from generate_series(1, $2::int) n`

/** All users of a kind on one side, one user on the other. */
function follow(follower: string, followee: string): string {
  return `
    with made as (
      insert into follows (follower, followee)
      select r.number, e.number from users r cross join users e
      where r.id ~ ${follower} and e.id ~ ${followee} returning follower, followee, seq
    ), mirrored as (insert into followers (followee, follower, seq)
      select followee, follower, seq from made)
    insert into user_deltas (user_number, followers, following)
    select followee, count(*), 0 from made group by followee
    union all select follower, 0, count(*) from made group by follower`
}

/** Posts of the last days, each author's apart in time. */
const PAST_POSTS = `
  with made as (
    insert into posts (shard, id, author, content)
    select shard_of_author(u.number),
      ((floor(extract(epoch from now()) * 1000)::bigint - 7200000 - n * 86400000 - u.nth * 500) << 21)
        | (shard_of_author(u.number)::bigint << 12) | n,
      u.number, u.id || ' ' || n
    from (select number, id, row_number() over (order by number) as nth
          from users where id ~ $1) u
    cross join generate_series(1, $2::int) n returning author
  )
  insert into user_deltas (user_number, posts) select author, count(*) from made group by author`

/** What the feed has to be, by one statement. */
const ORACLE = `select p.id::text as id from posts p join users r on r.id = $1
  where p.deleted_at is null and (p.author = r.number or exists (
    select from follows f where f.follower = r.number and f.followee = p.author))
  order by p.id desc limit $2`

async function oracle(fleet: Fleet, reader: string, limit: number): Promise<string[]> {
  return (await sql<{ id: string }>(fleet, ORACLE, [reader, limit])).map(({ id }) => id)
}

/** How many statements the Store was asked so far, by all members. */
async function statements({ members }: Fleet): Promise<number> {
  const counts = members.map(member => member.metric('fanwise_store_seconds_count'))
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
}

async function pagesOf(fleet: Fleet, reader: string, count: number) {
  const ids: string[] = []
  const ms: number[] = []
  let cursor: string | undefined
  for (let page = 0; page < count; page++)
    ms.push(
      await timed(async () => {
        const query = { limit: 20, ...(cursor !== undefined && { cursor }) }
        const { items, nextCursor } = await fleet.admin.as(reader).feed(query)
        ids.push(...items.map(({ id }) => id))
        cursor = nextCursor ?? undefined
      })
    )
  return { ids, ms }
}

test(`a reader follows ${FOLLOWS} authors: cold and warm pages are exact and quick`, async t => {
  const { fleet, traffic } = await stage(t)
  await fleet.admin.batch({ users: [{ id: 'reader' }] })
  await sql(fleet, USERS, ['followed', FOLLOWS])
  await sql(fleet, follow("'^reader$'", "'^followed'"))
  await sql(fleet, PAST_POSTS, ['^followed', POSTS_EACH])
  await sql(fleet, 'analyze')
  assert.ok(await fleet.admin.settle(60_000), 'not settled')
  const expected = await oracle(fleet, 'reader', 20 * PAGES)
  const before = await statements(fleet)
  const cold = await pagesOf(fleet, 'reader', PAGES)
  const asked = (await statements(fleet)) - before
  assert.deepEqual(cold.ids, expected)
  await fleet.admin.rebuild('reader')
  const warm = await pagesOf(fleet, 'reader', PAGES)
  assert.deepEqual(warm.ids, expected)
  for (let n = 1; n <= LATE_POSTS; n++)
    await fleet.admin.as(`followed${n * 7}`).createPost({ content: `fresh ${n}` })
  assert.ok(await fleet.admin.settle(60_000), 'not settled')
  const fresh = await pagesOf(fleet, 'reader', 1)
  assert.deepEqual(fresh.ids, await oracle(fleet, 'reader', 20))
  t.diagnostic(
    `cold ${Math.round(cold.ms[0] ?? 0)} ms, then ${Math.round(quantile(cold.ms, 0.5))} ms; ` +
      `warm ${Math.round(quantile(warm.ms, 0.5))} ms; ${asked} statements for ${PAGES} pages of a cold feed`
  )
  // Each page and what the roles ask meanwhile; authors are never asked for one by one.
  assert.ok(asked < 10 * PAGES + 100, `${asked} statements`)
  assert.ok(Math.max(...cold.ms) < 5000 && quantile(warm.ms, 0.5) < 300)
  const report = await fleet.admin.verify('reader')
  assert.deepEqual([report.differences, report.counts.wrong], [0, 0])
  await assertExact(t, fleet, traffic)
})

test(`${FOLLOWERS} follow one author: pulled, posting stays quick, and the account goes without blocking others`, async t => {
  const { fleet, traffic } = await stage(t, {
    FANWISE_THRESHOLD: String(Math.min(100_000, FOLLOWERS / 2))
  })
  const { admin } = fleet
  await admin.batch({ users: [{ id: 'star' }] })
  await sql(fleet, USERS, ['fan', FOLLOWERS])
  await sql(fleet, follow("'^fan'", "'^star$'"))
  await sql(fleet, PAST_POSTS, ['^star$', 5])
  await sql(fleet, 'analyze')
  const delivery = async () =>
    (await sql<{ delivery: string }>(fleet, "select delivery from users where id = 'star'"))[0]
      ?.delivery
  await until('the author is pulled', async () => (await delivery()) === 'pull', 60_000)
  const fans = ['fan1', 'fan7', `fan${FOLLOWERS}`]
  for (const fan of fans) await admin.as(fan).feed()
  const posts: number[] = []
  for (let n = 0; n < 5; n++)
    posts.push(await timed(() => admin.as('star').createPost({ content: `to all ${n}` })))
  assert.ok(await admin.settle(60_000), 'not settled')
  for (const fan of fans) {
    const ids = await walk(query => admin.as(fan).feed(query), 4)
    assert.deepEqual(ids, await oracle(fleet, fan, 1000), fan)
  }
  await admin.as('fan1').follow('u0')
  const goneMs = await timed(() => admin.as('star').deleteMe())
  for (const fan of fans) {
    const { items } = await admin.as(fan).feed()
    assert.ok(
      items.every(({ author }) => author.id !== 'star'),
      `${fan} sees none of it`
    )
  }
  const reached = await meanwhile(fleet, 'fan1')
  t.diagnostic(
    `posts ${Math.round(quantile(posts, 0.5))} ms; gone in ${Math.round(goneMs)} ms; ` +
      `others' posts are read after ${Math.round(quantile(reached, 0.5))} to ${Math.round(Math.max(...reached))} ms meanwhile`
  )
  assert.ok(quantile(posts, 0.5) < 500 && goneMs < 2000)
  assert.ok(Math.max(...reached) < 5000)
  const left = async () => {
    const text = `select count(*)::int as n from followers f join users u on u.number = f.followee
      where u.id = 'star'`
    return (await sql<{ n: number }>(fleet, text))[0]?.n ?? 0
  }
  await until('followers are cleaned away', async () => (await left()) === 0, CLEANED_MS)
  await assertExact(t, fleet, traffic, { settleMs: CLEANED_MS })
})

/** How long posts of somebody else take to reach a reader, ms. */
async function meanwhile({ admin }: Fleet, reader: string): Promise<number[]> {
  const ms: number[] = []
  for (let n = 0; n < 10; n++)
    ms.push(
      await timed(async () => {
        const { id } = await admin.as('u0').createPost({ content: `meanwhile ${n}` })
        const seen = async () => (await admin.as(reader).feed({ limit: 1 })).items[0]?.id === id
        await until('a post of another author is read', seen, 20_000)
      })
    )
  return ms
}
