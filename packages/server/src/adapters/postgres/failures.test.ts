import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import test from 'node:test'
import { DatabaseError } from 'pg'
import { testDatabase } from '../../../../../testkit/postgres.ts'
import { Problem } from '../../domain/errors.ts'
import { key, people, publish, refuses } from '../../ports/store-fixtures.conformance.ts'
import { withClient } from './bundled/with-client.ts'
import { asProblem, DRIVER_FAILURES } from './failures.ts'
import { createPostgresStore } from './store.ts'

const KILL = `select pg_terminate_backend(pid, 5000) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`

test('connections that the server ends are replaced, and writes under way fail as unavailable', async t => {
  const url = await testDatabase(t)
  await using store = await createPostgresStore({ url })
  const [ann] = await people(store, 'ann')
  for (let round = 0; round < 3; round++) {
    const writes = Promise.allSettled(Array.from({ length: 30 }, () => publish(store, ann)))
    await withClient(url, client => client.query(KILL))
    for (const write of await writes) {
      if (write.status === 'fulfilled') continue
      assert.ok(write.reason instanceof Problem, String(write.reason))
      assert.equal(write.reason.code, 'unavailable')
    }
    // Each connection of the pool may be found dead once.
    await Promise.allSettled(Array.from({ length: 10 }, () => store.ping()))
    await publish(store, ann)
  }
})

test('a server that is not there is unavailable', async () => {
  const url = 'postgres://nobody@127.0.0.1:1/none'
  await refuses(createPostgresStore({ url }), 'unavailable')
})

test('a statement that takes too long is unavailable', async t => {
  const url = await testDatabase(t)
  await using store = await createPostgresStore({ url, statementTimeoutMs: 50 })
  const [ann] = await people(store, 'ann')
  await withClient(url, async client => {
    await client.query('begin')
    await client.query('lock table posts in access exclusive mode')
    await refuses(store.publish({ author: ann, content: 'x', attrs: {} }), 'unavailable')
    await refuses(store.deletePost(ann, '3600000000000000000'), 'unavailable')
    await client.query('commit')
  })
  await publish(store, ann)
})

test('text that PostgreSQL cannot hold is the fault of the caller', async t => {
  const url = await testDatabase(t)
  await using store = await createPostgresStore({ url })
  const [ann] = await people(store, 'ann')
  await refuses(store.publish({ author: ann, content: 'a\0b', attrs: {} }), 'invalid_text')
  await refuses(store.publish({ author: ann, content: '', attrs: { a: '\0' } }), 'invalid_text')
  await refuses(store.putUser('ann', { name: '\0' }), 'invalid_text')
})

test('the deepest attributes that fit a post come back', async t => {
  const url = await testDatabase(t)
  await using store = await createPostgresStore({ url })
  const [ann] = await people(store, 'ann')
  const depth = 4000
  const attrs = JSON.parse(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`)
  const { post } = (await store.publish({ author: ann, content: '', attrs }, key(ann))).value
  assert.equal(JSON.stringify(post.attrs), JSON.stringify(attrs))
  const [stored] = await store.postsByIds([post.id])
  assert.equal(JSON.stringify(stored?.attrs), JSON.stringify(attrs))
})

function isUnavailable(error: unknown): boolean {
  const problem = asProblem(error)
  return problem instanceof Problem && problem.code === 'unavailable'
}

test('only what is known to pass is unavailable: faults of the program stay what they are', () => {
  const withCode = (code: string) => Object.assign(new Error('x'), { code })
  const answer = (code: string) => Object.assign(new DatabaseError('x', 1, 'error'), { code })
  const passing = [
    ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'].map(withCode),
    ...['08006', '53300', '57014', '57P01', '58030', '55P03', '25P03', '40P01'].map(answer),
    ...DRIVER_FAILURES.map(text => new Error(text)),
    new AggregateError([withCode('ECONNREFUSED')]),
    new Error('outer', { cause: withCode('ECONNRESET') })
  ]
  for (const error of passing) assert.ok(isUnavailable(error), `${error.message} ${error}`)
  const faults = [
    new Error('no such thing'),
    new SyntaxError('Unexpected token'),
    new ReferenceError('x is not defined'),
    new TypeError('x is undefined'),
    withCode('ERR_INVALID_ARG_TYPE'),
    answer('42703'),
    answer('23505')
  ]
  for (const error of faults) assert.equal(asProblem(error), error)
})

test('a fault in what is asked for is no failure of the database', async t => {
  await using store = await createPostgresStore({ url: await testDatabase(t) })
  const poison = {
    toJSON() {
      throw new Error('a fault of the program')
    }
  }
  const [ann] = await people(store, 'ann')
  const published = store.publish({ author: ann, content: 'x', attrs: { poison } })
  await assert.rejects(published, /a fault of the program/)
  await publish(store, ann)
})

test('the texts of the driver are those that it has', () => {
  const pg = createRequire(import.meta.url)
  const folders = [pg.resolve('pg'), createRequire(pg.resolve('pg')).resolve('pg-pool')]
  const files = folders.flatMap(file => globSync(path.join(path.dirname(file), '**/*.js')))
  const source = files.map(file => readFileSync(file, 'utf8')).join('\n')
  for (const text of DRIVER_FAILURES) assert.ok(source.includes(`'${text}'`), text)
})
