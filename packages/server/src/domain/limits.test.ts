import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import {
  BACKLOG_MS,
  CLOCKS_MS,
  demoteBelow,
  FLIGHT_MS,
  LATE_MS,
  PRESETS,
  WINDOW_MS
} from './limits.ts'

test('the window covers a late push, its flight and the clocks', () => {
  assert.ok(WINDOW_MS >= LATE_MS + FLIGHT_MS + CLOCKS_MS)
  assert.ok(BACKLOG_MS > WINDOW_MS)
})

for (const [name, limits] of Object.entries(PRESETS)) {
  test(`preset ${name} hangs together`, () => {
    for (const [key, value] of Object.entries(limits)) {
      if (typeof value === 'number') assert.ok(Number.isInteger(value) && value > 0, key)
    }
    assert.ok(limits.slack < limits.cap)
    assert.ok(limits.graceMs > limits.pageMs + 1000, 'grace outlives pages and caches of delivery')
    assert.ok(limits.cutMs > 10 * WINDOW_MS, 'a cut outlives any write that is stuck')
    assert.ok(limits.pageScan > limits.cap)
    assert.ok(limits.backfillAuthors < limits.followsMax)
  })
}

test('demotion is below promotion: nobody flips to and fro', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10 ** 9 }), threshold => {
      const lower = demoteBelow(threshold)
      assert.ok(Number.isInteger(lower) && lower < threshold && lower >= 0.8 * threshold - 1)
    })
  )
})
