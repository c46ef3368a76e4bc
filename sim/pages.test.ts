// Walks up, gaps and numbered pages are judged: a mistake in what they read is found by chance.
import assert from 'node:assert/strict'
import test from 'node:test'
import { huntByChance } from './hunt.ts'

const SEEDS_MAX = 60

test('a warm list that answers a walk up from below its floor is found', async t => {
  const mutation = {
    name: 'up-floor',
    off: 'a walk up from below the floor of a list is answered by the Store',
    file: 'packages/server/src/page/newer.ts',
    find: 'oldest === undefined || oldest > from',
    replace: 'oldest === undefined'
  }
  const found = await huntByChance(mutation, SEEDS_MAX)
  assert.ok(found !== null, `it is not found within ${SEEDS_MAX} seeds`)
  t.diagnostic(`seed ${found.seed}: ${found.violation.message.slice(0, 100)}`)
})

test('a gap that goes on below its older bound is found', async t => {
  const mutation = {
    name: 'gap-end',
    off: 'a gap ends at its older bound',
    file: 'packages/server/src/service/walks.ts',
    find: 'return { up: false, below, above }',
    replace: 'return { up: false, below }'
  }
  const found = await huntByChance(mutation, SEEDS_MAX)
  assert.ok(found !== null, `it is not found within ${SEEDS_MAX} seeds`)
  t.diagnostic(`seed ${found.seed}: ${found.violation.message.slice(0, 100)}`)
})

test('numbered pages that begin again are found', async t => {
  const mutation = {
    name: 'numbered-end',
    off: 'a frozen walk is read on from where it ends',
    file: 'packages/server/src/page/numbered.ts',
    find: 'from: last ?? END',
    replace: 'from: last === null ? END : END'
  }
  const found = await huntByChance(mutation, SEEDS_MAX)
  assert.ok(found !== null, `it is not found within ${SEEDS_MAX} seeds`)
  t.diagnostic(`seed ${found.seed}: ${found.violation.message.slice(0, 100)}`)
})

test('a numbered page that leaves one out is found', async t => {
  const mutation = {
    name: 'numbered-part',
    off: 'what was read on goes on the page',
    file: 'packages/server/src/page/numbered.ts',
    find: 'added.slice(Math.max(0, from - length)',
    replace: 'added.slice(Math.max(0, from - length + 1)'
  }
  const found = await huntByChance(mutation, SEEDS_MAX)
  assert.ok(found !== null, `it is not found within ${SEEDS_MAX} seeds`)
  t.diagnostic(`seed ${found.seed}: ${found.violation.message.slice(0, 100)}`)
})
