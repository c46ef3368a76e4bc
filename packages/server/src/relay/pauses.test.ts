import assert from 'node:assert/strict'
import test from 'node:test'
import { createVirtualClock } from '../adapters/memory/virtual-clock.ts'
import { createPauses } from './pauses.ts'

test('pauses grow with each failure of a lane, up to 5 s, and end with a success', async () => {
  const clock = createVirtualClock()
  const pauses = createPauses(clock)
  assert.ok(!pauses.has(1))
  const grown = Array.from({ length: 11 }, () => pauses.start(1))
  assert.deepEqual(grown.slice(0, 4), [100, 200, 400, 800])
  assert.deepEqual(grown.slice(-2), [5000, 5000])
  assert.ok(pauses.has(1))
  assert.ok(!pauses.has(2))
  await clock.advance(4999)
  assert.ok(pauses.has(1))
  await clock.advance(1)
  assert.ok(!pauses.has(1))
  pauses.end(1)
  assert.equal(pauses.start(1), 100)
})
