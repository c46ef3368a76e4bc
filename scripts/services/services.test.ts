import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import path from 'node:path'
import test from 'node:test'
import { withClient } from '../../packages/server/src/adapters/postgres/bundled/with-client.ts'
import { findProgram } from './find-program.ts'
import { askRedis } from './redis-server.ts'
import type { Server } from './server.ts'
import { startServices } from './start-services.ts'
import { waitUntil } from './wait-until.ts'

const own = { useEnvironment: false }
const noRedis =
  process.env.CI !== 'true' &&
  findProgram('redis-server') === undefined &&
  'there is no redis-server'

function ask(url: string, sql: string): Promise<unknown> {
  return withClient(url, async client => Object.values((await client.query(sql)).rows[0] ?? {})[0])
}

async function answers(work: Promise<unknown>, ms: number): Promise<boolean> {
  const late = new Promise<false>(resolve => setTimeout(() => resolve(false), ms).unref())
  return await Promise.race([work.then(() => true), late])
}

test('a killed PostgreSQL starts again on its port with what was committed', async () => {
  await using services = await startServices(['postgres'], own)
  const { url, servers } = services.postgres
  const [server] = servers as [Server]
  await ask(url, 'create table kept as select 7 as n')
  assert.equal(await ask(url, 'show wal_level'), 'logical')
  const before = server.pid
  await server.kill()
  await assert.rejects(ask(url, 'select 1'), { code: 'ECONNREFUSED' })
  await server.start()
  assert.notEqual(server.pid, before)
  assert.equal(await ask(url, 'select n from kept'), 7)
  await server.stop()
  await server.start()
  assert.equal(await ask(url, 'select n from kept'), 7)
})

test('a paused PostgreSQL answers once it is resumed', async () => {
  await using services = await startServices(['postgres'], own)
  const { url, servers } = services.postgres
  const [server] = servers as [Server]
  await withClient(url, async client => {
    await client.query('select 1')
    server.pause()
    const reply = client.query('select 1')
    assert.equal(await answers(reply, 200), false)
    server.resume()
    await reply
  })
})

test('Redis can be paused, killed and started again empty', { skip: noRedis }, async () => {
  await using services = await startServices(['redis'], own)
  const [server] = services.redis.servers as [Server]
  await askRedis(server.port, 'SET', 'a', '1')
  const memory = String(await askRedis(server.port, 'INFO', 'memory'))
  assert.match(memory, /maxmemory_policy:volatile-lru/)
  server.pause()
  const reply = askRedis(server.port, 'GET', 'a')
  assert.equal(await answers(reply, 200), false)
  server.resume()
  assert.equal(await reply, '1')
  await server.kill()
  await server.start()
  assert.equal(await askRedis(server.port, 'GET', 'a'), null)
})

test('a replica takes the place of a killed master', { skip: noRedis }, async () => {
  await using services = await startServices(['redis-cluster'], {
    ...own,
    cluster: { replicas: 1 }
  })
  const { servers } = services['redis-cluster']
  assert.equal(servers.length, 6)
  const [master, , , replica] = servers as [Server, Server, Server, Server]
  await master.kill()
  const promoted = async () => String(await askRedis(replica.port, 'ROLE')).startsWith('master')
  assert.ok(await waitUntil(promoted, 20_000))
})

test('a service of the environment is used and not stopped', async t => {
  const before = process.env.FANWISE_TEST_KAFKA
  process.env.FANWISE_TEST_KAFKA = 'kafka.example:9092'
  t.after(() => {
    if (before === undefined) delete process.env.FANWISE_TEST_KAFKA
    else process.env.FANWISE_TEST_KAFKA = before
  })
  await using services = await startServices(['kafka'])
  assert.deepEqual(services.kafka, { name: 'kafka', url: 'kafka.example:9092', servers: [] })
})

test('services end with the process that started them, however it ends', {
  skip: noRedis
}, async () => {
  const script = `const { startServices } = await import('${path.join(import.meta.dirname, 'start-services.ts')}')
    const { redis } = await startServices(['redis'], { useEnvironment: false })
    console.log(JSON.stringify(redis.servers[0].folder))
    setInterval(() => {}, 1e6)`
  const args = [
    ...process.execArgv.filter(arg => arg.startsWith('--cond')),
    '--input-type=module',
    '-e',
    script
  ]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(child.stdout, 'data')
  const folder = path.dirname(JSON.parse(String(line)) as string)
  assert.ok(existsSync(folder))
  child.kill('SIGKILL')
  await once(child, 'exit')
  assert.ok(await waitUntil(() => !existsSync(folder), 10_000))
})
