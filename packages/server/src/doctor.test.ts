import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import test from 'node:test'
import { testDatabase } from '../../../testkit/postgres.ts'
import { startServer } from '../../../testkit/server.ts'
import { withClient } from './adapters/postgres/bundled/with-client.ts'
import { readConfig } from './config.ts'
import { doctor } from './doctor.ts'

async function look(databaseUrl: string) {
  const findings = await doctor(readConfig({ databaseUrl, logLevel: 'silent' }, {}))
  return new Map(findings.map(finding => [finding.name, finding]))
}

test('doctor tells what a database lacks and changes nothing', async t => {
  const url = await testDatabase(t, { migrated: false })
  const database = (await look(url)).get('database')
  assert.equal(database?.ok, true)
  assert.match(database?.detail ?? '', /fanwise migrate.*0001/)
  const tables = `select count(*)::int as n from pg_tables where schemaname = 'public'`
  assert.equal((await withClient(url, client => client.query(tables))).rows[0].n, 0)
})

test('doctor finds the server that holds the database, and counts', async t => {
  const server = await startServer(t)
  await server.admin.batch({ posts: [{ author: 'a', content: 'x' }] })
  const findings = await look(server.databaseUrl)
  assert.equal(findings.get('server')?.detail, `${server.url} is ready`)
  assert.match(findings.get('database')?.detail ?? '', /^PostgreSQL \d.*1 users, 1 posts/)
})

test('a database that refuses connections, or never answers, is told within seconds', async t => {
  const silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  t.after(() => silent.close())
  const { port } = silent.address() as { port: number }
  for (const url of [`postgres://u:p@127.0.0.1:${port}/x`, 'postgres://u:p@127.0.0.1:1/x']) {
    const began = performance.now()
    const database = (await look(url)).get('database')
    assert.equal(database?.ok, false)
    assert.notEqual(database?.detail, '')
    assert.ok(performance.now() - began < 10_000)
  }
})

test('doctor tells settings that do not go together', async t => {
  const url = await testDatabase(t)
  const config = readConfig({ databaseUrl: url, roles: 'api,relay', logLevel: 'silent' }, {})
  const [, settings] = await doctor(config)
  assert.equal(settings?.ok, false)
  assert.match(settings?.detail ?? '', /relay and fanout/)
})
