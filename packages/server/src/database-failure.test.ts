import assert from 'node:assert/strict'
import test from 'node:test'
import { testDatabase } from '../../../testkit/postgres.ts'
import { withClient } from './adapters/postgres/bundled/with-client.ts'
import { databaseFailure } from './database-failure.ts'

async function failureAt(url: string): Promise<string> {
  const error = await withClient(url, client => client.query('select 1')).then(
    () => undefined,
    error => error
  )
  const failure = databaseFailure(url, error)
  assert.ok(failure, String(error))
  assert.match(failure.message, /^DATABASE_URL: PostgreSQL at \S+:\d+ /)
  return failure.message
}

test('a database that cannot be used is named with the reason and without its password', async t => {
  const url = await testDatabase(t, { migrated: false })
  const changed = (parts: Partial<URL>) => Object.assign(new URL(url), parts).href
  assert.match(await failureAt(changed({ pathname: '/no-such' })), /no database "no-such"/)
  assert.match(await failureAt(changed({ search: '?uselibpqcompat=true&sslmode=require' })), /TLS/)
  for (const host of ['127.0.0.1', 'localhost']) {
    const message = await failureAt(`postgres://u:hidden@${host}:1/x`)
    assert.ok(message.includes(`at ${host}:1 can't be used: nothing listens there`), message)
    assert.ok(!message.includes('hidden'))
  }
})

test('a wrong password names the user', async t => {
  const url = await testDatabase(t, { migrated: false })
  const wrong = Object.assign(new URL(url), { password: 'hidden' }).href
  const error = await withClient(wrong, client => client.query('select 1')).catch(error => error)
  // A PostgreSQL that trusts this machine asks for no password.
  if (error instanceof Error)
    assert.match(await failureAt(wrong), new RegExp(`refuses the user "${new URL(url).username}"`))
})

test('what has failed elsewhere is not taken for the database', () => {
  const database = 'postgres://h:5432/d'
  for (const error of [
    { code: 'ECONNREFUSED', port: 6379 },
    { code: 'ENOTFOUND', hostname: 'redis.example' },
    { code: 'ECONNREFUSED', errors: [{ code: 'ECONNREFUSED', port: 9092 }] },
    new Error('anything')
  ])
    assert.equal(databaseFailure(database, error), undefined)
})
