import assert from 'node:assert/strict'
import test from 'node:test'
import { Problem } from './errors.ts'
import { isTransient } from './is-transient.ts'

function withCode(code: string): Error {
  return Object.assign(new Error(code), { code })
}

test('what waiting can cure is transient', () => {
  assert.ok(isTransient(new Problem('unavailable')))
  for (const code of [
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ETIMEDOUT',
    '57P01',
    '40P01',
    '08006'
  ])
    assert.ok(isTransient(withCode(code)), code)
  assert.ok(isTransient(new Error('outer', { cause: withCode('ECONNRESET') })))
})

test('what fails every time is not', () => {
  assert.ok(!isTransient(new Problem('post_not_found')))
  assert.ok(!isTransient(new TypeError('x is undefined')))
  assert.ok(!isTransient(withCode('ERR_INVALID_ARG_TYPE')))
  assert.ok(!isTransient(withCode('23505')))
  assert.ok(!isTransient(withCode('22P02')))
  assert.ok(!isTransient('text'))
})
