import assert from 'node:assert/strict'
import test from 'node:test'
import { Client } from 'pg'
import { testDatabase } from '../../../../../testkit/postgres.ts'
import { LANES, laneOfAuthor } from '../../domain/post-id.ts'
import { drain, people, publish, refuses } from '../../ports/store-fixtures.conformance.ts'
import { withClient } from './bundled/with-client.ts'
import { createPostgresStore } from './store.ts'

test('an event that commits late is found', async t => {
  const url = await testDatabase(t)
  await using store = await createPostgresStore({ url })
  const [ann] = await people(store, 'ann')
  await using lanes = await store.openLanes()
  const late = new Client({ connectionString: url })
  await late.connect()
  await late.query('begin')
  await late.query(
    `insert into outbox (aggregateid, type, lane, payload)
     select $1::bigint::text, 'user', lane_of_author($1), jsonb_build_object('type', 'user', 'author', $1::bigint)`,
    [ann]
  )
  const post = await publish(store, ann)
  assert.deepEqual(await drain(lanes), [{ type: 'post', author: ann, post }])
  await late.query('commit')
  await late.end()
  assert.deepEqual(await drain(lanes), [{ type: 'user', author: ann }])
})

test('the rows are what the outbox event router of Debezium reads', async t => {
  const url = await testDatabase(t)
  await using store = await createPostgresStore({ url })
  const [ann] = await people(store, 'ann')
  const post = await publish(store, ann)
  const { rows } = await withClient(url, client =>
    client.query('select aggregatetype, aggregateid, type, payload, lane from outbox')
  )
  assert.deepEqual(rows, [
    {
      aggregatetype: 'events',
      aggregateid: String(ann),
      type: 'post',
      payload: { type: 'post', author: ann, post },
      lane: laneOfAuthor(ann)
    }
  ])
})

test('a lost session holds no lane, says so, and others take over', async t => {
  const url = await testDatabase(t)
  await using store = await createPostgresStore({ url })
  const [ann] = await people(store, 'ann')
  await publish(store, ann)
  await using first = await store.openLanes()
  await using second = await store.openLanes()
  await first.claim()
  const [logged] = await first.unpublished(await first.claim(), 1)
  await withClient(url, client =>
    client.query(
      `select pg_terminate_backend(pid, 5000) from pg_locks
       where locktype = 'advisory' and database = (
         select oid from pg_database where datname = current_database())`
    )
  )
  await refuses(first.claim(), 'unavailable')
  await refuses(first.unpublished([logged!.lane], 1), 'unavailable')
  await refuses(first.markPublished([logged!.id]), 'unavailable')
  assert.equal((await second.claim()).length, LANES)
  assert.deepEqual(await second.unpublished([logged!.lane], 1), [logged])
})
