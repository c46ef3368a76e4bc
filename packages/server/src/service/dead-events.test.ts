import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { until } from '../../../../testkit/kafka.ts'
import { startServer, type TestServer } from '../../../../testkit/server.ts'
import { withClient } from '../adapters/postgres/bundled/with-client.ts'
import { aboutDead, chooseDead, listDead, retryDead } from '../cli/dead-events.ts'

/** What the fan-out reads of an author is gone: events of posts fail, and waiting does not help. */
const BREAK = 'alter table users rename column delivery_version to gone_astray'
const MEND = 'alter table users rename column gone_astray to delivery_version'

function sql({ databaseUrl }: TestServer, text: string): Promise<unknown> {
  return withClient(databaseUrl, client => client.query(text))
}

/** A server on which posts of `ann`, whom `bob` follows, were given up. */
async function withDead(t: TestContext, count: number) {
  const server = await startServer(t)
  const { admin, client } = server
  await admin.batch({ follows: [{ follower: 'bob', followee: 'ann' }] })
  await admin.settle()
  await client('bob').feed()
  await sql(server, BREAK)
  const posts = []
  for (let at = 0; at < count; at++)
    posts.push((await client('ann').createPost({ content: `${at}` })).id)
  const given = async () => (await admin.stats()).outboxDead === count
  await until('the events are given up', given)
  return { server, admin, bob: client('bob'), posts }
}

test('CC-16: an event that is given up is found, and retried once its cause is gone', async t => {
  const { server, admin, bob, posts } = await withDead(t, 1)
  const [dead] = (await admin.deadEvents()).items
  assert.ok(dead)
  const { id, diedAt, reason, ...rest } = dead
  const about = { type: 'post', user: 'ann', post: posts[0], reader: null, attempts: 1 }
  assert.deepEqual(rest, about)
  assert.match(reason, /delivery_version/)
  assert.ok(Math.abs(Date.parse(diedAt) - Date.now()) < 60_000)
  const failed = await retryDead(admin, [dead])
  assert.deepEqual(
    failed.again.map(({ attempts, post }) => [attempts, post]),
    [[2, posts[0]]]
  )
  await assert.rejects(admin.retryDead(id), { code: 'event_not_found', status: 404 })
  await sql(server, MEND)
  await bob.feed()
  const mended = await retryDead(admin, failed.again)
  assert.deepEqual(mended, { retried: 1, again: [], settled: true })
  assert.deepEqual(await listDead(admin, 10), { events: [], more: false })
  assert.deepEqual(
    (await bob.feed()).items.map(post => post.id),
    posts
  )
  assert.equal((await admin.verify('bob')).differences, 0)
})

test('what was given up is paged, and dropping it loses no post', async t => {
  const { server, admin, bob, posts } = await withDead(t, 3)
  const first = await admin.deadEvents({ limit: 2 })
  assert.deepEqual(
    first.items.map(({ post }) => post),
    posts.slice(0, 2)
  )
  assert.ok(first.nextCursor)
  const second = await admin.deadEvents({ limit: 2, cursor: first.nextCursor })
  assert.deepEqual([second.items[0]?.post, second.nextCursor], [posts[2], null])
  const listed = await listDead(admin, 2)
  assert.deepEqual([listed.events.length, listed.more], [2, true])
  await assert.rejects(admin.users({ cursor: first.nextCursor }), { code: 'invalid_cursor' })
  await assert.rejects(chooseDead(admin, [], false), /--all/)
  await assert.rejects(chooseDead(admin, ['1'], true), /--all/)
  await assert.rejects(chooseDead(admin, ['9223372036854775807'], false), /no event 9223372036854/)
  const [one, ...others] = await chooseDead(admin, [], true)
  assert.deepEqual(await chooseDead(admin, [one!.id], false), [one])
  assert.equal(aboutDead(one!), `${posts[0]} of ann`)
  for (const { id } of [one!, ...others]) await admin.dropDead(id)
  assert.equal((await admin.stats()).outboxDead, 0)
  await assert.rejects(admin.dropDead(one!.id), { code: 'event_not_found' })
  await sql(server, MEND)
  assert.deepEqual(
    (await bob.feed()).items.map(post => post.id),
    posts.toReversed()
  )
  assert.equal((await admin.verify('bob')).differences, 0)
})

test('ids that no row can have are no rows, and what is no id is refused', async t => {
  const { admin } = await startServer(t)
  for (const id of ['9223372036854775807', '9999999999999999999'])
    for (const act of ['dropDead', 'retryDead'] as const)
      await assert.rejects(admin[act](id), { code: 'event_not_found' })
  for (const id of ['0', '-1', 'x', '1e3'])
    await assert.rejects(admin.dropDead(id), { code: 'invalid_request' })
  assert.deepEqual(await admin.deadRecords(), [])
  await admin.dropDeadRecords('7')
})

test('an event that holds no user and no post is listed all the same', async t => {
  const server = await startServer(t, { settings: { roles: 'api' } })
  const bad = JSON.stringify({ type: 'post', author: 'nobody', post: 7 })
  const row = `'1', 'post', 0, '${bad}', now(), now(), 'bad'`
  const columns = 'aggregateid, type, lane, payload, published_at, dead_at, dead_reason'
  await sql(server, `insert into outbox (${columns}, attempts) values (${row}, 1)`)
  const [event] = (await server.admin.deadEvents()).items
  assert.deepEqual([event?.user, event?.post, event?.reason], [null, '7', 'bad'])
})

test('what is no event at all is given up and listed, and its lane goes on', async t => {
  const server = await startServer(t)
  const { admin, client } = server
  await client('ann').putUser('ann', {})
  const bad = ['null', '7', '"x"', '[]', '{}', '{"type":null}', '{"type":7}']
  const rows = bad.map(json => `('1', 'post', lane_of_author(1), '${json}')`)
  await sql(server, `insert into outbox (aggregateid, type, lane, payload) values ${rows}`)
  await client('ann').createPost({ content: 'behind them' })
  await until('all are given up', async () => (await admin.stats()).outboxDead === bad.length)
  assert.equal(await admin.settle(), true)
  const { items } = await admin.deadEvents()
  assert.deepEqual(
    items.map(({ type, user, post }) => [type, user, post]),
    bad.map(() => ['post', null, null])
  )
})
