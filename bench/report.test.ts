import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import test from 'node:test'
import { fillIn } from './harness/report.ts'
import { readResults } from './harness/results.ts'

const page = path.resolve(import.meta.dirname, '../docs/performance.md')

test('docs/performance.md has the numbers of bench/results; bench/report.ts writes it', () => {
  const text = readFileSync(page, 'utf8').replaceAll('\r\n', '\n')
  const results = readResults()
  assert.ok(results.length > 0, 'no results were read')
  assert.equal(fillIn(text, results), text)
})

test('what is kept was measured in full', () => {
  for (const { bench, quick, rows } of readResults()) {
    assert.equal(quick, false, bench)
    for (const { values, measured } of rows) assert.ok(values.length >= 5, `${bench}: ${measured}`)
  }
})
