import assert from 'node:assert/strict'
import test from 'node:test'
import { measure } from './measure.ts'

const stats = { users: 1, posts: 1, follows: 0, likes: 0, outboxPending: 3, outboxDead: 2 }

async function gauges(kept: number | null): Promise<Record<string, number>> {
  const seen: Record<string, number> = {}
  await measure({
    store: { stats: async () => stats, keptForCapture: async () => kept },
    feeds: { stats: async () => ({ warm: 4, bytes: 5 }) },
    telemetry: {
      log() {},
      count() {},
      observe() {},
      gauge: (name, value) => {
        seen[name] = value
      }
    }
  })
  return seen
}

test('OR-08: gauges tell what waits and what a slot keeps, if there is one', async () => {
  const usual = { outbox_pending: 3, outbox_dead: 2, feeds_warm: 4, feeds_bytes: 5 }
  assert.deepEqual(await gauges(null), usual)
  assert.deepEqual(await gauges(7), { ...usual, outbox_slot_bytes: 7 })
})
