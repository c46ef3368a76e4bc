import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import test from 'node:test'
import { Client } from 'pg'
import { testDatabase } from '../../../../../testkit/postgres.ts'
import { LANES, laneOfAuthor } from '../../domain/post-id.ts'
import { drain, people, publish, refuses } from '../../ports/store-fixtures.conformance.ts'
import { withClient } from './bundled/with-client.ts'
import { openLanes } from './lanes.ts'
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

/** A message of the PostgreSQL protocol. */
function message(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeInt32BE(body.length + 4)
  return Buffer.concat([Buffer.from(type), length, body])
}

/** Lets everybody in, and refuses every statement, as a standby does with LISTEN. */
function refuseAll(socket: Socket): void {
  const refusal = ['SERROR', 'VERROR', 'C25006', 'Mcannot execute LISTEN during recovery', ''].join(
    '\0'
  )
  const ready = message('Z', Buffer.from('I'))
  socket.once('data', () => {
    socket.write(Buffer.concat([message('R', Buffer.alloc(4)), ready]))
    socket.on('data', () =>
      socket.write(Buffer.concat([message('E', Buffer.from(`${refusal}\0`)), ready]))
    )
  })
}

test('a session that cannot listen is closed', async t => {
  const sockets: Socket[] = []
  const server = createServer(socket => {
    sockets.push(socket)
    refuseAll(socket)
  })
  t.after(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  const url = `postgres://somebody@127.0.0.1:${address.port}/none`
  await refuses(
    openLanes({ url }, () => {}),
    'unavailable'
  )
  const [socket] = sockets
  assert.ok(socket)
  if (!socket.readableEnded) await once(socket, 'end', { signal: AbortSignal.timeout(5000) })
})
