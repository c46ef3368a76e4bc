import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { packHas, packNumbers } from './number-set.ts'

test('a packed set has what was packed and nothing else', () => {
  const numbers = fc.uniqueArray(fc.oneof(fc.nat(300), fc.maxSafeNat()), { maxLength: 50 })
  fc.assert(
    fc.property(numbers, fc.nat(300), (some, other) => {
      const packed = packNumbers(some.toSorted((a, b) => a - b))
      for (const number of some) assert.ok(packHas(packed, number))
      assert.equal(packHas(packed, other), some.includes(other))
    })
  )
})

test('neighbours take a byte each', () => {
  const numbers = Array.from({ length: 1000 }, (_, index) => 1_000_000 + index)
  assert.equal(packNumbers(numbers).length, 1002)
})
