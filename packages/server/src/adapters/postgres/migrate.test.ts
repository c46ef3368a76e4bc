import assert from 'node:assert/strict'
import test from 'node:test'
import { testDatabase } from '../../../../../testkit/postgres.ts'
import { withClient } from './bundled/with-client.ts'
import { migrate } from './migrate.ts'

test('migrations are applied once, whoever asks', async t => {
  const url = await testDatabase(t, { migrated: false })
  const dry = await migrate(url, { dryRun: true })
  assert.deepEqual(dry.applied, [])
  assert.ok(dry.pending.length > 1)
  assert.deepEqual(await migrate(url, { dryRun: true }), dry)
  const runs = await Promise.all(Array.from({ length: 4 }, () => migrate(url)))
  assert.deepEqual(
    runs.flatMap(({ applied }) => applied),
    dry.pending
  )
  assert.ok(runs.every(({ pending }) => pending.length === 0))
  assert.deepEqual(await migrate(url, { dryRun: true }), { applied: [], pending: [] })
})

test('an applied migration that was altered, or that is not known, is refused', async t => {
  const url = await testDatabase(t)
  const run = (sql: string) => withClient(url, client => client.query(sql))
  await run(`insert into schema_migrations (name, hash) values ('9999_later.sql', '')`)
  await assert.rejects(migrate(url), /9999_later\.sql: it belongs to a later version/)
  await run(`delete from schema_migrations where name = '9999_later.sql'`)
  assert.deepEqual((await migrate(url)).applied, [])
  await run(`update schema_migrations set hash = 'other' where name = '0002_posts.sql'`)
  await assert.rejects(migrate(url), /0002_posts\.sql was altered/)
  await assert.rejects(migrate(url, { dryRun: true }), /0002_posts\.sql was altered/)
})

test('a migration that fails leaves nothing of itself', async t => {
  const url = await testDatabase(t, { migrated: false })
  await withClient(url, client => client.query('create table posts (id int)'))
  await assert.rejects(migrate(url), /0002_posts\.sql failed/)
  const { pending } = await migrate(url, { dryRun: true })
  assert.equal(pending[0], '0002_posts.sql')
  await withClient(url, client => client.query('drop table posts'))
  assert.deepEqual((await migrate(url)).applied, pending)
})
