import assert from 'node:assert/strict'
import test from 'node:test'
import { Arrivals } from './arrivals.ts'

test('whoever waits for a count or a key hears of it, whichever came first', async () => {
  const arrivals = new Arrivals()
  const [two, late] = [arrivals.until(2), arrivals.of('b')]
  arrivals.note(['a', 'b'])
  await Promise.all([two, late, arrivals.of('a'), arrivals.until(1)])
  assert.equal(arrivals.count, 2)
})
