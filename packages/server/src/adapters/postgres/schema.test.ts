import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import test from 'node:test'
import { testDatabase } from '../../../../../testkit/postgres.ts'
import { schemaDump } from './schema-dump.ts'

test('docs/schema.sql is the schema that the migrations make', async t => {
  const file = path.join(import.meta.dirname, '../../../../../docs/schema.sql')
  const committed = readFileSync(file, 'utf8').replaceAll('\r\n', '\n')
  const present = await schemaDump(await testDatabase(t))
  assert.ok(present.includes('create table posts'))
  assert.equal(committed, present)
})
