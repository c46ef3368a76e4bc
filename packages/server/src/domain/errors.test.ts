import assert from 'node:assert/strict'
import test from 'node:test'
import { ERRORS, type ErrorCode, Problem } from './errors.ts'

const rows = Object.entries(ERRORS)

test('every code is snake_case with an error status and a sentence', () => {
  assert.ok(rows.length > 20)
  for (const [code, [status, message]] of rows) {
    assert.match(code, /^[a-z]+(_[a-z]+)*$/)
    assert.ok(status >= 400 && status <= 503, code)
    assert.match(message, /^[A-Z].*\.$/, code)
  }
})

test('only what repeating may cure is a 503, and only the unforeseen a 500', () => {
  const of = (wanted: number) => rows.filter(([, [status]]) => status === wanted).map(([c]) => c)
  assert.deepEqual(of(500), ['internal'])
  assert.deepEqual(of(503).sort(), ['clock_behind', 'unavailable'])
})

test('a problem carries code, status, message, details and cause', () => {
  const cause = new Error('below')
  const problem = new Problem('blocked', 'No.', { user: 'ann' }, { cause })
  assert.ok(problem instanceof Error)
  assert.deepEqual(
    [problem.name, problem.code, problem.status, problem.message, problem.cause],
    ['Problem', 'blocked', 403, 'No.', cause]
  )
  assert.deepEqual(problem.details, { user: 'ann' })
})

test('without a message it says what the code means', () => {
  for (const [code, [status, message]] of rows) {
    const problem = new Problem(code as ErrorCode)
    assert.equal(problem.message, message)
    assert.equal(problem.status, status)
    assert.deepEqual(problem.details, {})
  }
})
