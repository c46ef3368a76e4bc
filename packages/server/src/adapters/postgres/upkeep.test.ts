import assert from 'node:assert/strict'
import test from 'node:test'
import { testDatabase } from '../../../../../testkit/postgres.ts'
import { key, people, publish } from '../../ports/store-fixtures.conformance.ts'
import { withClient } from './bundled/with-client.ts'
import { createPostgresStore } from './store.ts'

/** Runs SQL by hand. */
function run(url: string, sql: string): Promise<Record<string, unknown>[]> {
  return withClient(url, async client => (await client.query(sql)).rows)
}

function partitions(url: string): Promise<Record<string, unknown>[]> {
  return run(
    url,
    `select relname as name from pg_class
     where relispartition and relkind = 'r' and relname like 'outbox_2%' order by 1`
  )
}

test('a key over 24 h old counts as absent, and expires', async t => {
  const url = await testDatabase(t)
  await using store = await createPostgresStore({ url })
  const [ann, bob] = await people(store, 'ann', 'bob')
  const post = { author: ann, content: 'x', attrs: {} }
  const age = () =>
    run(url, `update idempotency_keys set created_at = now() - interval '24 hours 1 second'`)
  const first = await store.publish(post, key(ann, 'post'))
  await store.follow(ann, bob, key(ann, 'follow'))
  await age()
  const other = key(ann, 'post', 'other')
  const again = await Promise.all(Array.from({ length: 5 }, () => store.publish(post, other)))
  assert.equal(again.filter(({ replayed }) => !replayed).length, 1)
  assert.notEqual(again[0]?.value.post.id, first.value.post.id)
  const refollow = await store.follow(ann, bob, key(ann, 'follow', 'other'))
  assert.deepEqual(refollow, { value: false, replayed: false })
  assert.equal(await store.expire(100), 0)
  await age()
  assert.equal(await store.expire(100), 2)
  assert.deepEqual(await run(url, 'select from idempotency_keys'), [])
})

test('OR-08: outbox partitions are made ahead and dropped after 7 days, when all in them is done', async t => {
  const url = await testDatabase(t)
  await using store = await createPostgresStore({ url })
  const [ann] = await people(store, 'ann')
  for (const day of ['20240101', '20240102'])
    await run(
      url,
      `create table outbox_${day} partition of outbox
       for values from ('${day} 00:00Z') to ('${day} 24:00Z')`
    )
  const insert = (at: string, publishedAt: string) =>
    run(
      url,
      `insert into outbox (aggregateid, type, lane, payload, created_at, published_at)
       values ('1', 'user', 0, '{"type": "user", "author": 1}', '${at}', ${publishedAt})`
    )
  await insert('2024-01-01 12:00Z', 'now()')
  await insert('2024-01-02 12:00Z', 'null')
  await insert('2023-05-05 12:00Z', 'now()')
  await insert('2023-05-05 12:00Z', 'null')
  await run(url, `drop table outbox_${(await partitions(url)).at(-1)?.name?.toString().slice(7)}`)
  const before = await partitions(url)
  assert.equal(await store.expire(100), 2)
  const after = (await partitions(url)).map(({ name }) => name)
  assert.ok(!after.includes('outbox_20240101') && after.includes('outbox_20240102'))
  assert.equal(after.length, before.length)
  assert.equal(await store.outboxPending(), 2)
  await using lanes = await store.openLanes()
  const logged = await lanes.unpublished(await lanes.claim(), 10)
  await lanes.markPublished(logged.map(({ id }) => id))
  assert.equal(await store.expire(100), 2)
  assert.equal(await store.expire(100), 0)
  await publish(store, ann)
})

test('records of fan-out go after 7 days, by the day', async t => {
  const url = await testDatabase(t)
  await using store = await createPostgresStore({ url })
  await run(
    url,
    `create table ledger_20240101 partition of ledger
     for values from ('20240101 00:00Z') to ('20240101 24:00Z')`
  )
  const insert = (at: string) =>
    run(
      url,
      `insert into ledger values (1, '1', 0, null, null, 'w', ${at}, 'push', 'pushed', 1, 1,
         1, 2, 1, 1, 0, 0, '')`
    )
  for (const at of ["'2024-01-01 12:00Z'", "'2023-05-05 12:00Z'", 'now()']) await insert(at)
  assert.equal(await store.expire(100), 2)
  assert.equal(await store.expire(100), 0)
  const names = await run(
    url,
    `select tableoid::regclass::text as name, count(*)::int as rows from ledger group by 1`
  )
  const today = new Date().toISOString().slice(0, 10).replaceAll('-', '')
  assert.deepEqual(names, [{ name: `ledger_${today}`, rows: 1 }])
})

test('a day that began in the default partition stays there', async t => {
  const url = await testDatabase(t)
  await using store = await createPostgresStore({ url })
  const [ann] = await people(store, 'ann')
  for (const { name } of await partitions(url)) await run(url, `drop table ${name}`)
  await publish(store, ann)
  await store.expire(100)
  assert.equal((await partitions(url)).length, 3)
  await publish(store, ann)
  assert.equal(await store.outboxPending(), 2)
})

test('a write that lands after its user went is cleaned up, then the user is done', async t => {
  const url = await testDatabase(t)
  await using store = await createPostgresStore({ url })
  const [ann, bob] = await people(store, 'ann', 'bob')
  await store.setStatus(ann, 'gone')
  assert.equal(await store.cleanGone(10), 1)
  assert.equal(await store.cleanGone(10), 0)
  await run(
    url,
    `with f as (insert into follows (follower, followee) values (${ann}, ${bob}) returning seq)
     insert into followers (followee, follower, seq) select ${bob}, ${ann}, seq from f`
  )
  assert.equal(await store.cleanGone(10), 0)
  await run(
    url,
    `update users set gone_at = gone_at - interval '2 minutes', cleaned_at = cleaned_at - interval '2 minutes'
     where gone_at is not null`
  )
  assert.equal(await store.cleanGone(10), 2)
  assert.deepEqual(await store.followerSlice(bob, 0, 10), [])
  await publishLate(url, ann)
  assert.equal(await store.cleanGone(10), 0)
})

/** No write can take that long: nobody looks for it. */
function publishLate(url: string, author: number) {
  return run(
    url,
    `insert into posts (shard, id, author, content)
     select shard_of_author(${author}), make_post_id(shard_of_author(${author})), ${author}, 'late'`
  )
}

test('users who went a moment ago hold up nobody', async t => {
  const url = await testDatabase(t)
  await using store = await createPostgresStore({ url })
  const [last] = await people(store, 'last')
  await publish(store, last)
  await run(
    url,
    `insert into users (id, status, gone_at) select 'gone' || n, 'gone', now() from generate_series(1, 250) n`
  )
  await store.setStatus(last, 'gone')
  for (let rounds = 0; (await store.cleanGone(100)) > 0; rounds++) assert.ok(rounds < 10)
  assert.equal((await store.stats()).posts, 0)
})

test('keys expire round by round, however many', async t => {
  const url = await testDatabase(t)
  await using store = await createPostgresStore({ url })
  await run(
    url,
    `insert into idempotency_keys (owner, key, hash, created_at)
     select 1, n, 'h', now() - interval '2 days' from generate_series(1, 25) n`
  )
  assert.deepEqual(
    [await store.expire(10), await store.expire(10), await store.expire(10)],
    [10, 10, 5]
  )
  assert.deepEqual(await run(url, 'select from idempotency_keys'), [])
})
