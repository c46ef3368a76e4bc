import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test, { type TestContext } from 'node:test'
import { Admin, Consumer, type Message, MessagesStreamModes } from '@platformatic/kafka'
import { partitionOf } from '../packages/server/src/adapters/kafka/murmur2.ts'
import { withClient } from '../packages/server/src/adapters/postgres/bundled/with-client.ts'
import { waitUntil } from '../scripts/services/wait-until.ts'
import { type Debezium, startDebezium } from './debezium.ts'
import { testDatabase } from './postgres.ts'
import { startServer } from './server.ts'
import { service } from './services.ts'

const partitions = 16

type EventRecord = Message<Buffer, Buffer, Buffer, Buffer>

interface Topic {
  readonly prefix: string
  /** Resolves with the next `count` records of the topic. */
  read(count: number): Promise<EventRecord[]>
}

/** A topic of events for one test, read from its beginning. */
async function testTopic(t: TestContext, kafka: string): Promise<Topic> {
  const prefix = `test-${randomUUID()}`
  const options = { clientId: prefix, bootstrapBrokers: kafka.split(',') }
  const topic = `${prefix}.events`
  const admin = new Admin(options)
  await admin.createTopics({ topics: [topic], partitions, replicas: 1 })
  const consumer = new Consumer({ ...options, groupId: prefix, maxWaitTime: 100 })
  const stream = await consumer.consume({ topics: [topic], mode: MessagesStreamModes.EARLIEST })
  t.after(async () => {
    await stream.close()
    await consumer.close()
    const topics = await admin.listTopics()
    await admin.deleteTopics({ topics: topics.filter(name => name.includes(prefix)) })
    await admin.close()
  })
  const messages = stream[Symbol.asyncIterator]()
  return {
    prefix,
    async read(count) {
      const read: EventRecord[] = []
      while (read.length < count) {
        const { value } = await messages.next()
        assert.ok(value, 'the stream has ended')
        read.push(value)
      }
      return read
    }
  }
}

interface World extends Topic {
  readonly databaseUrl: string
  start(): Promise<Debezium>
}

async function world(t: TestContext): Promise<World | undefined> {
  const kafka = service(t, 'kafka')
  const connectUrl = service(t, 'connect')
  if (kafka === undefined || connectUrl === undefined) return undefined
  const databaseUrl = await testDatabase(t)
  const topic = await testTopic(t, kafka)
  const settings = { 'heartbeat.interval.ms': '500' }
  const start = () => startDebezium({ connectUrl, databaseUrl, prefix: topic.prefix, settings })
  return { ...topic, databaseUrl, start }
}

function insert(databaseUrl: string, first: number, last: number): Promise<unknown> {
  const sql = `insert into outbox (aggregateid, type, lane, payload)
    select n::text, 'user', n % 64, jsonb_build_object('type', 'user', 'author', n)
    from generate_series($1::int, $2::int) n`
  return withClient(databaseUrl, client => client.query(sql, [first, last]))
}

function keys(messages: readonly EventRecord[]): number[] {
  return messages.map(({ key }) => Number(key)).sort((a, b) => a - b)
}

test('what a server writes arrives as our own relay sends it: key, id, lane, event', async t => {
  const { databaseUrl, start, read } = (await world(t)) ?? {}
  if (databaseUrl === undefined || start === undefined || read === undefined) return
  const server = await startServer(t, { databaseUrl })
  await server.admin.batch({ users: [{ id: 'ada' }] })
  await using _connector = await start()
  const post = await server.client('ada').createPost({ content: 'The engine weaves.' })
  const { rows } = await withClient(databaseUrl, client =>
    client.query('select id, lane, aggregateid, payload from outbox order by id')
  )
  assert.ok(rows.some(({ payload }) => payload.post === post.id))
  const records = await read(rows.length)
  const found = records.map(({ key, value, headers }) => ({
    key: `${key}`,
    event: JSON.parse(`${value}`),
    headers: Object.fromEntries([...headers].map(([name, text]) => [`${name}`, `${text}`]))
  }))
  const wanted = rows.map(({ id, lane, aggregateid, payload }) => ({
    key: aggregateid,
    event: payload,
    headers: { id, lane: `${lane}` }
  }))
  assert.deepEqual(found, wanted)
})

test('10,000 keys come to the partitions that our producer gives them', async t => {
  const { databaseUrl, start, read } = (await world(t)) ?? {}
  if (databaseUrl === undefined || start === undefined || read === undefined) return
  await using _connector = await start()
  await insert(databaseUrl, 1, 10_000)
  const records = await read(10_000)
  const wrong = records.filter(
    ({ key, partition }) => partition !== partitionOf(`${key}`, partitions)
  )
  assert.deepEqual(wrong, [])
  assert.equal(new Set(keys(records)).size, 10_000)
})

test('rows from before the first start arrive, and so do those of a lost slot', async t => {
  const { databaseUrl, start, read } = (await world(t)) ?? {}
  if (databaseUrl === undefined || start === undefined || read === undefined) return
  await insert(databaseUrl, 1, 3)
  await using connector = await start()
  assert.deepEqual(keys(await read(3)), [1, 2, 3])
  await insert(databaseUrl, 4, 5)
  assert.deepEqual(keys(await read(2)), [4, 5])
  await connector.stop()
  await withClient(databaseUrl, client =>
    client.query('select pg_drop_replication_slot($1)', [connector.slot])
  )
  await insert(databaseUrl, 6, 7)
  await connector.resume()
  assert.deepEqual(keys(await read(7)), [1, 2, 3, 4, 5, 6, 7])
})

test('updates and deletes of outbox rows send nothing', async t => {
  const { databaseUrl, start, read } = (await world(t)) ?? {}
  if (databaseUrl === undefined || start === undefined || read === undefined) return
  await using _connector = await start()
  await insert(databaseUrl, 1, 1)
  await withClient(databaseUrl, client =>
    client.query(`update outbox set published_at = now(); delete from outbox`)
  )
  await insert(databaseUrl, 2, 2)
  assert.deepEqual(keys(await read(2)), [1, 2])
})

test('OR-08: heartbeats move the slot on where only other tables are written', async t => {
  const { databaseUrl, start } = (await world(t)) ?? {}
  if (databaseUrl === undefined || start === undefined) return
  await using connector = await start()
  await withClient(databaseUrl, async client => {
    await client.query('create table other as select generate_series(1, 1000)')
    const { rows } = await client.query('select pg_current_wal_lsn() as lsn')
    const sql = `select confirmed_flush_lsn >= $2 as moved
      from pg_replication_slots where slot_name = $1`
    const moved = async () =>
      (await client.query(sql, [connector.slot, rows[0].lsn])).rows[0].moved as boolean
    assert.ok(await waitUntil(moved, 30_000))
  })
})
