import assert from 'node:assert/strict'
import test from 'node:test'
import { wantedDelivery } from './policy.ts'

test('hybrid: up at the threshold, down below 0.8 of it, and nothing in between', () => {
  const limits = { delivery: 'hybrid', threshold: 100 } as const
  assert.equal(wantedDelivery('push', 99, limits), null)
  assert.equal(wantedDelivery('push', 100, limits), 'both')
  for (const delivery of ['both', 'pull'] as const) {
    assert.equal(wantedDelivery(delivery, 80, limits), null)
    assert.equal(wantedDelivery(delivery, 79, limits), 'push')
    assert.equal(wantedDelivery(delivery, 1000, limits), null)
  }
})

test('push: everybody is pushed', () => {
  const limits = { delivery: 'push', threshold: 100 } as const
  assert.equal(wantedDelivery('push', 1e9, limits), null)
  assert.equal(wantedDelivery('pull', 1e9, limits), 'push')
  assert.equal(wantedDelivery('both', 0, limits), 'push')
})

test('pull: everybody is pulled, also without followers', () => {
  const limits = { delivery: 'pull', threshold: 100 } as const
  assert.equal(wantedDelivery('push', 0, limits), 'both')
  assert.equal(wantedDelivery('pull', 0, limits), null)
  assert.equal(wantedDelivery('both', 0, limits), null)
})
