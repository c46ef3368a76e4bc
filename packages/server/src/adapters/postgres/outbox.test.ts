import assert from 'node:assert/strict'
import { once } from 'node:events'
import test, { type TestContext } from 'node:test'
import { Client } from 'pg'
import { testDatabase } from '../../../../../testkit/postgres.ts'
import { connectionConfig, type DatabaseOptions } from './pool.ts'
import { createPostgresStore } from './store.ts'

async function openStore(t: TestContext, options: DatabaseOptions) {
  const store = await createPostgresStore(options)
  t.after(() => store[Symbol.asyncDispose]())
  return store
}

test('a process that relays hears of rows that another one wrote, also of many at once', async t => {
  const url = await testDatabase(t)
  const writer = await openStore(t, { url, notify: true })
  const relay = await openStore(t, { url })
  const heard = new EventTarget()
  let times = 0
  relay.onOutbox(() => {
    times++
    heard.dispatchEvent(new Event('rows'))
  })
  await using lanes = await relay.openLanes()
  await lanes.claim()
  const first = once(heard, 'rows')
  const [ann] = await writer.ensureUsers(['ann'])
  const publish = () => writer.publish({ author: ann?.number ?? 0, content: 'x', attrs: {} })
  await Promise.all(Array.from({ length: 50 }, publish))
  await first
  assert.ok(times < 25, `${times} notifications for 50 commits`)
})

test('where change data capture carries the rows, no relay finds them', async t => {
  const url = await testDatabase(t)
  const store = await openStore(t, { url, relay: 'cdc' })
  const client = new Client(url)
  await client.connect()
  t.after(() => client.end())
  const [ann] = await store.ensureUsers(['ann'])
  await store.publish({ author: ann?.number ?? 0, content: 'x', attrs: {} })
  assert.equal(await store.outboxPending(), 0)
  await using lanes = await store.openLanes()
  assert.deepEqual(await lanes.unpublished(await lanes.claim(), 10), [])
  await assert.rejects(store.republish(60_000), /epoch/)
  assert.equal(await store.outboxPending(), 0)
  const { rows } = await client.query<{ id: string }>('select id from outbox')
  const id = rows[0]?.id ?? ''
  await store.bury({ id, lane: 0, event: { type: 'user', author: 1 } }, 'bad')
  assert.equal(await store.retryDead(id), true)
  assert.equal(await store.outboxPending(), 0, 'it is inserted anew, as done')
  const again = await client.query<{ id: string }>('select id from outbox')
  assert.deepEqual([again.rowCount, again.rows[0]?.id === id], [1, false])
})

test('who carries the rows is told beside the options of the URL', async t => {
  const url = `${await testDatabase(t)}?options=-c%20work_mem%3D1234kB&application_name=theirs`
  const client = new Client(connectionConfig({ url, relay: 'cdc' }))
  await client.connect()
  t.after(() => client.end())
  const names = ['work_mem', 'fanwise.relay', 'application_name']
  const { rows } = await client.query<{ value: string }>(
    'select current_setting(name) as value from unnest($1::text[]) name',
    [names]
  )
  assert.deepEqual(
    rows.map(({ value }) => value),
    ['1234kB', 'cdc', 'theirs']
  )
})

test('OR-08: what a slot keeps is told, from its first byte until it goes', async t => {
  const url = await testDatabase(t)
  const store = await openStore(t, { url })
  assert.equal(await store.keptForCapture(), null)
  const client = new Client(url)
  await client.connect()
  t.after(() => client.end())
  const slot = `kept_${process.pid}`
  await client.query(`select pg_create_logical_replication_slot('${slot}', 'pgoutput')`)
  try {
    const before = (await store.keptForCapture()) ?? assert.fail('no slot')
    await client.query(
      'create table other as select n, repeat(md5(n::text), 30) from generate_series(1, 2000) n'
    )
    const after = (await store.keptForCapture()) ?? assert.fail('no slot')
    assert.ok(after - before > 1_000_000, `${before}, then ${after} bytes`)
    await client.query('checkpoint')
    await client.query(`select pg_replication_slot_advance('${slot}', pg_current_wal_lsn())`)
    assert.ok(((await store.keptForCapture()) ?? after) < 1_000_000)
  } finally {
    await client.query(`select pg_drop_replication_slot('${slot}')`)
  }
  assert.equal(await store.keptForCapture(), null)
})
