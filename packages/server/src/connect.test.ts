import assert from 'node:assert/strict'
import test from 'node:test'
import { testDatabase } from '../../../testkit/postgres.ts'
import { SECRET, SERVER_KEY, startServer } from '../../../testkit/server.ts'
import { readConfig } from './config.ts'
import { connect, rolesOfCommand } from './connect.ts'

const given = (databaseUrl: string, url = '') =>
  readConfig({ databaseUrl, url, secret: SECRET, serverKey: SERVER_KEY, logLevel: 'silent' }, {})

test('a command with DATABASE_URL works with the server that has its feeds in memory', async t => {
  const server = await startServer(t)
  await server.admin.batch({ posts: [{ author: 'a', content: 'x' }] })
  await server.admin.settle()
  await server.admin.rebuild('a')
  await using connection = await connect(given(server.databaseUrl))
  assert.equal(connection.url, server.url)
  assert.equal((await connection.admin.verify('a')).cold, 0)
})

test('--url comes first; without any server the command is one itself', async t => {
  const server = await startServer(t)
  const other = await testDatabase(t)
  await using far = await connect(given(other, server.url))
  assert.equal(far.url, server.url)
  await using near = await connect(given(other))
  assert.equal(near.url, null)
  await assert.rejects(connect(given(other)), /without an HTTP server.*--url/)
})

test('a database that does not answer ends the command', async () => {
  await assert.rejects(connect(given('postgres://u:p@127.0.0.1:1/x')), { code: 'ECONNREFUSED' })
})

test('beside a fleet that shares its feeds a command does no work of a worker', () => {
  const alone = readConfig({}, {})
  assert.deepEqual(rolesOfCommand(alone), alone.roles)
  assert.deepEqual(rolesOfCommand({ ...alone, redisUrls: ['redis://localhost:6379'] }), ['api'])
})
