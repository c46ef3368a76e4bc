import assert from 'node:assert/strict'
import test from 'node:test'
import { createVirtualClock } from '../adapters/memory/virtual-clock.ts'
import { type SettleContext, settle, settleEvents } from './settle.ts'

const RELAYED = {
  openedPending: async () => 0,
  outboxMark: async () => '',
  isRelayed: async () => true
}

function contextOf(parts: Partial<SettleContext>) {
  const clock = createVirtualClock()
  const flushed: number[] = []
  const context: SettleContext = {
    store: {
      ...RELAYED,
      flushCounts: async limit => {
        flushed.push(limit)
        return 0
      }
    },
    log: { pending: async () => 0 },
    clock,
    buildersIdle: async () => {},
    ...parts
  }
  return { clock, context, flushed }
}

test('what is settled is settled, in no time', async () => {
  const { context, flushed } = contextOf({})
  assert.equal(await settle(context, 0), true)
  assert.equal(flushed.length, 1)
})

test('likes that keep coming in are not waited for', async () => {
  const { context } = contextOf({
    store: { ...RELAYED, flushCounts: async () => 1 }
  })
  assert.equal(await settle(context, 1000), true)
})

test('counts that do not come to an end take no longer than the timeout', async () => {
  const clock = createVirtualClock()
  const flushCounts = async (limit: number) => {
    await clock.advance(100)
    return limit
  }
  const { context } = contextOf({ clock, store: { ...RELAYED, flushCounts } })
  assert.equal(await settle(context, 1000), false)
  assert.equal(clock.monotonic(), 1000)
})

test('builders that do not come to an end take no longer than the timeout', async () => {
  const { context, clock } = contextOf({ buildersIdle: () => new Promise(() => {}) })
  const settled = settle(context, 1000)
  await clock.advance(1000)
  assert.equal(await settled, false)
})

test('events that are not safe in the log yet are waited for, those of the moment of asking', async () => {
  const asked: string[] = []
  const isRelayed = async (mark: string) => asked.push(mark) > 3
  const { context, clock } = contextOf({
    store: { ...RELAYED, outboxMark: async () => 'mark', isRelayed, flushCounts: async () => 0 }
  })
  assert.equal(await clock.runUntil(settle(context, 1000)), true)
  assert.deepEqual(asked, ['mark', 'mark', 'mark', 'mark'])
})

test('requests to accounts that turned public are waited for, before the events that they make', async () => {
  const asked: string[] = []
  const openedPending = async () => (asked.push('opened') > 2 ? 0 : 1)
  const outboxMark = async () => {
    asked.push('mark')
    return ''
  }
  const store = { ...RELAYED, openedPending, outboxMark, flushCounts: async () => 0 }
  const { context, clock } = contextOf({ store })
  assert.equal(await clock.runUntil(settle(context, 1000)), true)
  assert.deepEqual(asked, ['opened', 'opened', 'opened', 'mark'])
  const never = contextOf({ store: { ...store, openedPending: async () => 1 } })
  assert.equal(await never.clock.runUntil(settle(never.context, 1000)), false)
})

test('events are settled whatever is being built', async () => {
  const { context } = contextOf({ buildersIdle: () => new Promise(() => {}) })
  assert.equal(await settleEvents(context, 0), true)
})
