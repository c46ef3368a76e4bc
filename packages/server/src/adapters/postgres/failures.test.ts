import assert from 'node:assert/strict'
import test from 'node:test'
import { testDatabase } from '../../../../../testkit/postgres.ts'
import { Problem } from '../../domain/errors.ts'
import { key, people, publish, refuses } from '../../ports/store-fixtures.conformance.ts'
import { withClient } from './bundled/with-client.ts'
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
