// Counts are moved while others hold many of the same rows.
import assert from 'node:assert/strict'
import test from 'node:test'
import { testDatabase } from '../../../../../testkit/postgres.ts'
import { countsOf, flush, people } from '../../ports/store-fixtures.conformance.ts'
import { withClient } from './bundled/with-client.ts'
import { createPostgresStore } from './store.ts'

const WAITING = `select from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`

test('a flush holds users in the order of their numbers', { timeout: 20_000 }, async t => {
  const url = await testDatabase(t)
  await using store = await createPostgresStore({ url })
  const names = Array.from({ length: 50 }, (_, at) => `u${at}`)
  const numbers = (await people(store, ...names)) as number[]
  for (const follower of numbers.slice(1)) await store.follow(follower, numbers[0] as number)
  await withClient(url, async client => {
    // The first row lies behind all others.
    await client.query('update users set name = id where number = $1', [Math.min(...numbers)])
    await client.query('begin')
    await client.query('select from users order by number limit 1 for update')
    const flushed = store.flushCounts(1000)
    while ((await client.query(WAITING)).rowCount === 0);
    const free = await client.query('select from users for update skip locked')
    assert.equal(free.rowCount, numbers.length, 'it holds rows, and waits for one before them')
    await client.query('commit')
    await flushed
  })
  await flush(store)
  assert.equal((await countsOf(store, numbers[0] as number))?.followers, numbers.length - 1)
})
