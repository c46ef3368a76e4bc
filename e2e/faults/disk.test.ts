// The disk of PostgreSQL or of Kafka is full, and has room again later.
import assert from 'node:assert/strict'
import test from 'node:test'
import { startKafka } from '../../scripts/services/kafka.ts'
import { startPostgres } from '../../scripts/services/postgres.ts'
import type { Server } from '../../scripts/services/server.ts'
import { startServices } from '../../scripts/services/start-services.ts'
import { smallDisk, withoutDisks } from '../../testkit/fault-disk.ts'
import { pause, setStage } from '../../testkit/faults.ts'
import { assertExact } from '../../testkit/outcome.ts'

const skip = withoutDisks()

test('the disk of PostgreSQL is full', { skip }, async t => {
  const disk = await smallDisk(t, 192)
  const postgres = await startPostgres(disk.folder, { max_wal_size: '32MB', min_wal_size: '32MB' })
  const server = postgres.servers[0] as Server
  t.after(() => server.kill())
  await using services = await startServices(['redis'], { useEnvironment: false })
  const { fleet, traffic } = await setStage(t, {
    postgresUrl: postgres.url,
    redisUrl: services.redis.url
  })
  await traffic.during(async () => {
    await pause(1000)
    await disk.fill()
    await pause(8000)
    await disk.free()
    // It may have ended, as it does when its log can't be written.
    await server.start()
    await pause(3000)
  })
  t.diagnostic(`${traffic.report.failures.get('post 503') ?? 0} posts were refused meanwhile`)
  await assertExact(t, fleet, traffic)
})

test('the disk of Kafka is full: posts are taken', { skip }, async t => {
  const disk = await smallDisk(t, 96)
  const kafka = await startKafka(disk.folder)
  const broker = kafka.servers[0] as Server
  t.after(() => broker.kill())
  await using services = await startServices(['postgres', 'redis'], { useEnvironment: false })
  const { fleet, traffic } = await setStage(t, {
    postgresUrl: services.postgres.url,
    redisUrl: services.redis.url,
    kafka: kafka.url,
    members: { api1: 'api', relay: 'relay,janitor', fanout1: 'fanout' }
  })
  await traffic.during(async () => {
    await pause(1000)
    await disk.fill()
    const before = traffic.report.posts
    await pause(8000)
    assert.ok(traffic.report.posts > before, 'posts are taken')
    await disk.free()
    await broker.start()
    await pause(3000)
  })
  await assertExact(t, fleet, traffic)
})
