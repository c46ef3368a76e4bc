import assert from 'node:assert/strict'
import test from 'node:test'
import { testDatabase } from '../../../../../testkit/postgres.ts'
import {
  isPostId,
  laneOfAuthor,
  makePostId,
  shardOf,
  shardOfAuthor,
  timeOf
} from '../../domain/post-id.ts'
import { made, people, publish, refuses } from '../../ports/store-fixtures.conformance.ts'
import { withClient } from './bundled/with-client.ts'
import { createPostgresStore } from './store.ts'

test('SQL and JavaScript agree on shards and lanes', async t => {
  const url = await testDatabase(t)
  const numbers = Array.from({ length: 70_000 }, (_, at) => at)
  for (let power = 17; power < 53; power++)
    for (const near of [-1, 0, 1, 12_345]) numbers.push(2 ** power + near)
  const { rows } = await withClient(url, client =>
    client.query<{ shard: number; lane: number }>(
      `select shard_of_author(n) as shard, lane_of_author(n) as lane
       from unnest($1::bigint[]) with ordinality u (n, place) order by place`,
      [numbers]
    )
  )
  assert.deepEqual(
    rows.map(row => row.shard),
    numbers.map(shardOfAuthor)
  )
  assert.deepEqual(
    rows.map(row => row.lane),
    numbers.map(laneOfAuthor)
  )
})

test('ids carry the time of the database and the shard', async t => {
  const url = await testDatabase(t)
  const { rows } = await withClient(url, client =>
    client.query<{ id: string; ms: string; shard: number }>(
      `select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as ms, s as shard,
         make_post_id(s::smallint) as id from generate_series(0, 511) s`
    )
  )
  for (const { id, ms, shard } of rows) {
    assert.ok(isPostId(id))
    assert.equal(shardOf(id), shard)
    assert.ok(timeOf(id) - Number(ms) >= 0 && timeOf(id) - Number(ms) < 1000)
  }
})

test('no ids are made over 5 s behind the newest one of the shard', async t => {
  const url = await testDatabase(t)
  await using store = await createPostgresStore({ url })
  const [ann, bob] = await people(store, 'ann', 'bob')
  const now = timeOf(await publish(store, ann))
  const ahead = (ms: number) =>
    withClient(url, client =>
      client.query(`insert into posts (shard, id, author, content) values ($1, $2, $3, '')`, [
        shardOfAuthor(ann),
        makePostId(now + ms, shardOfAuthor(ann), 0),
        ann
      ])
    )
  await ahead(4000)
  await publish(store, ann)
  await ahead(600_000)
  await refuses(store.publish({ author: ann, content: 'x', attrs: {} }), 'clock_behind')
  await refuses(store.importPosts([made(ann, null)]), 'clock_behind')
  await store.importPosts([made(ann, now)])
  await publish(store, bob)
})

test('a taken id is made again', async t => {
  const url = await testDatabase(t)
  await using store = await createPostgresStore({ url })
  const [ann] = await people(store, 'ann')
  // A clock that stands still, and a sequence that begins again.
  await withClient(url, client =>
    client.query(`create or replace function post_clock(post_shard smallint) returns bigint
      language sql return 1700000000000`)
  )
  const first = await publish(store, ann)
  await withClient(url, client => client.query(`alter sequence post_seq restart with 1`))
  const second = await publish(store, ann)
  assert.notEqual(second, first)
  assert.equal(timeOf(second), timeOf(first))
})
