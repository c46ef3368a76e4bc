import assert from 'node:assert/strict'
import test from 'node:test'
import { startServer } from '../../../testkit/server.ts'
import { readConfig } from './config.ts'
import { modeOf } from './mode.ts'

const database = { databaseUrl: 'postgres://localhost/x' }
const redis = { redisUrls: 'redis://localhost:6379' }
const kafka = { kafkaBrokers: 'localhost:9092' }
const mode = (settings: Parameters<typeof readConfig>[0]) => modeOf(readConfig(settings, {}))

test('the mode is told by the services that are set', () => {
  assert.equal(mode({}), 'embedded')
  assert.equal(mode(database), 'embedded')
  assert.equal(mode({ ...database, ...redis }), 'single')
  assert.equal(mode({ ...database, ...redis, ...kafka }), 'distributed')
  assert.equal(mode({ ...database, ...redis, ...kafka, roles: 'fanout' }), 'distributed')
})

test('services and roles that do not go together are refused with the way out', () => {
  assert.throws(() => mode(kafka), /FANWISE_KAFKA_BROKERS: .*FANWISE_REDIS_URL/)
  assert.throws(() => mode(redis), /FANWISE_REDIS_URL: .*DATABASE_URL/)
  assert.throws(() => mode({ relay: 'cdc' }), /FANWISE_RELAY: .*FANWISE_KAFKA_BROKERS/)
  assert.throws(() => mode({ kafkaPartitions: '48' }), /"48" is not a power of two/)
  assert.throws(
    () => mode({ ...database, ...redis, roles: 'relay' }),
    /relay and fanout go together/
  )
  assert.throws(() => mode({ roles: 'relay,fanout' }), /needs the role api/)
})

test('a second server with feeds in memory is refused, and told where the first one listens', async t => {
  const first = await startServer(t)
  const port = new URL(first.url).port
  const second = startServer(t, { databaseUrl: first.databaseUrl })
  await assert.rejects(second, new RegExp(`pid ${process.pid} .*--url http://127.0.0.1:${port}`))
  await first[Symbol.asyncDispose]()
  await using third = await startServer(t, { databaseUrl: first.databaseUrl })
  assert.equal((await fetch(`${third.url}/readyz`)).status, 200)
})

test('production without a server key starts, and its routes are off', async t => {
  const server = await startServer(t, { settings: { env: 'production', serverKey: '' } })
  const ask = (authorization: string) =>
    fetch(`${server.url}/v1/admin/stats`, { headers: { authorization } }).then(
      ({ status }) => status
    )
  assert.equal(await ask('Bearer '), 401)
  assert.equal(await ask(`Bearer ${await server.token('ann')}`), 403)
})
