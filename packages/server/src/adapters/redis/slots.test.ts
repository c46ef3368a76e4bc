import assert from 'node:assert/strict'
import { test } from 'node:test'
import { slotOf } from './slots.ts'

test('slots are those of Redis Cluster', () => {
  // As CLUSTER KEYSLOT answers.
  assert.equal(slotOf('123456789'), 12_739)
  assert.equal(slotOf('feed:{123456789}'), 12_739)
  assert.equal(slotOf('foo'), 12_182)
  assert.equal(slotOf(''), 0)
  assert.equal(slotOf('foo{}'), slotOf('foo{}'))
  assert.notEqual(slotOf('foo{}{bar}'), slotOf('bar'), 'an empty tag is none')
  assert.equal(slotOf('foo{{bar}}zap'), slotOf('{bar'))
})
