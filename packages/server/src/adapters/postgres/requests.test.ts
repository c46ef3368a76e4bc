// A request and its account that turns public, one held up by the other.
import assert from 'node:assert/strict'
import test from 'node:test'
import type { Client } from 'pg'
import { testDatabase } from '../../../../../testkit/postgres.ts'
import { countsOf, people, walk } from '../../ports/store-fixtures.conformance.ts'
import { withClient } from './bundled/with-client.ts'
import { authorLock } from './locks.ts'
import { createPostgresStore } from './store.ts'

const LIMIT_MS = 20_000

/** Until somebody waits for what `client` holds, or the work is done without waiting. */
async function heldUp(client: Client, work: Promise<unknown>): Promise<boolean> {
  let done = false
  const ended = work.then(
    () => {
      done = true
    },
    () => {
      done = true
    }
  )
  for (const end = Date.now() + LIMIT_MS; !done && Date.now() < end; ) {
    const { rows } = await client.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    )
    if (rows.length > 0) return true
  }
  await ended
  return false
}

test('who asks an account that is about to turn public follows it', async t => {
  const url = await testDatabase(t)
  await using store = await createPostgresStore({ url })
  const [ann, bob] = await people(store, 'ann', 'bob')
  await store.putUser('bob', { visibility: 'private' })
  await withClient(url, async client => {
    await client.query('begin')
    const { space, number } = authorLock(bob)
    await client.query('select pg_advisory_xact_lock($1, $2)', [space, number])
    await client.query(`update users set visibility = 'public' where id = 'bob'`)
    const followed = store.follow(ann, bob)
    assert.equal(await heldUp(client, followed), true)
    await client.query('commit')
    assert.deepEqual(await followed, { value: true, replayed: false })
  })
  assert.deepEqual(await walk(store, 'requests', bob), [])
})

test('an account that turns public waits for who is asking it, and accepts them', async t => {
  const url = await testDatabase(t)
  await using store = await createPostgresStore({ url })
  const [ann, bob] = await people(store, 'ann', 'bob')
  await store.putUser('bob', { visibility: 'private' })
  await withClient(url, async client => {
    await client.query('begin')
    const { space, number } = authorLock(bob)
    await client.query('select pg_advisory_xact_lock_shared($1, $2)', [space, number])
    const turned = store.putUser('bob', { visibility: 'public' })
    assert.equal(await heldUp(client, turned), true)
    const values = [ann, bob]
    await client.query('insert into follow_requests (follower, followee) values ($1, $2)', values)
    await client.query('commit')
    await turned
  })
  assert.deepEqual(await store.acceptOpened(10), [{ reader: ann, author: bob }])
  assert.deepEqual(await walk(store, 'followers', bob), [ann])
})

test('who is being asked has their counts flushed meanwhile', { timeout: LIMIT_MS }, async t => {
  const url = await testDatabase(t)
  await using store = await createPostgresStore({ url })
  const [ann, bob, cid] = await people(store, 'ann', 'bob', 'cid')
  await store.putUser('bob', { visibility: 'private' })
  await store.follow(bob, cid)
  await withClient(url, async client => {
    await client.query('begin')
    const values = [ann, bob]
    await client.query('insert into follow_requests (follower, followee) values ($1, $2)', values)
    const asked = store.follow(ann, bob)
    assert.equal(await heldUp(client, asked), true)
    assert.ok((await store.flushCounts(100)) > 0)
    assert.equal((await countsOf(store, bob))?.following, 1)
    await client.query('rollback')
    assert.equal((await asked).value, 'requested')
  })
})
