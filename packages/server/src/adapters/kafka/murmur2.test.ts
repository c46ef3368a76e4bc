import assert from 'node:assert/strict'
import test from 'node:test'
import { compatibilityPartitioner } from '@platformatic/kafka'
import { murmur2, partitionOf } from './murmur2.ts'

// The values that the tests of Kafka's Java client hold.
const known: readonly (readonly [string, number])[] = [
  ['21', -973932308],
  ['foobar', -790332482],
  ['a-little-bit-long-string', -985981536],
  ['a-little-bit-longer-string', -1486304829],
  ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
  ['abc', 479470107]
]

for (const [text, hash] of known) {
  test(`the hash of ${JSON.stringify(text)} is the Java client's`, () => {
    assert.equal(murmur2(Buffer.from(text)), hash)
  })
}

test('user numbers go where the client library, too, would send them', () => {
  for (let user = 0; user < 10_000; user += 7) {
    const key = String(user)
    const there = compatibilityPartitioner({ topic: 't' }, Buffer.from(key)) % 64
    assert.equal(partitionOf(key, 64), there, key)
  }
})
