import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { isStorable, isStorableJson } from './text.ts'

test('well-formed text without NUL is storable: it survives UTF-8', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), text => {
      const survives = Buffer.from(text).toString() === text && !text.includes('\0')
      assert.equal(isStorable(text), survives)
    })
  )
})

test('NUL and halves of surrogate pairs are not storable', () => {
  for (const text of ['\0', 'a\0b', '\ud800', '\udc00', 'x\ud83d', '\ude00\ud83d']) {
    assert.equal(isStorable(text), false)
  }
  for (const text of ['', '😀', '\u0001', '\uffff', 'e\u0301']) assert.ok(isStorable(text))
})

test('a JSON value is storable when all its keys and strings are', () => {
  fc.assert(fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), value => isStorableJson(value)))
  for (const bad of ['\0', '\ud800']) {
    for (const value of [bad, [bad], { a: bad }, { [bad]: 1 }, [1, { a: [{ b: bad }] }]]) {
      assert.equal(isStorableJson(value), false)
    }
  }
  for (const value of [null, 0, true, [], {}, { a: [null, 'x'] }]) assert.ok(isStorableJson(value))
})

test('depth does not exhaust the stack', () => {
  const deep = JSON.parse('['.repeat(200_000) + ']'.repeat(200_000)) as unknown
  assert.ok(isStorableJson(deep))
})
