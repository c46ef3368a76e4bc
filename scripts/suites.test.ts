import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import test, { after } from 'node:test'
import { longFiles } from './long-files.ts'
import { choose } from './suites.ts'

const root = mkdtempSync(path.join(os.tmpdir(), 'fanwise-suites-'))
after(() => rmSync(root, { recursive: true, force: true }))

const unit = 'packages/server/src/domain/post.test.ts'
const crash = 'e2e/crash.test.ts'
const others = [
  'packages/server/src/ports/store.conformance.ts',
  'packages/a/node_modules/b.test.ts'
]
for (const file of [unit, crash, ...others]) {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
  writeFileSync(path.join(root, file), 'one\ntwo\n')
}

function chosen(filters: string[], ci: boolean): string[] {
  return choose(root, filters, ci).files.map(file => path.relative(root, file))
}

test('a plain run leaves out e2e and says so', () => {
  assert.deepEqual(chosen([], false), [unit])
  const { skipped } = choose(root, [], false)
  assert.equal(skipped.length, 1)
  assert.match(skipped[0]!, /^e2e: .*CI=true npm test/)
})

test('CI leaves out nothing', () => {
  assert.deepEqual(chosen([], true), [unit, crash])
  assert.deepEqual(choose(root, [], true).skipped, [])
})

test('a filter is a part of a path, in any suite', () => {
  assert.deepEqual(chosen(['server/src/domain'], false), [unit])
  assert.deepEqual(chosen(['crash'], false), [crash])
  assert.deepEqual(chosen(['nowhere'], false), [])
})

test('files over the limit are found, and only those', () => {
  assert.deepEqual(longFiles(root), [])
  writeFileSync(path.join(root, 'long.sql'), '--\n'.repeat(401))
  writeFileSync(path.join(root, 'full.ts'), '//\n'.repeat(400))
  assert.deepEqual(longFiles(root), [{ file: 'long.sql', lines: 401 }])
})

test('a tree without sources is an error, not a success', () => {
  assert.throws(() => longFiles(path.join(root, 'nowhere')), /no source file/)
})
