import assert from 'node:assert/strict'
import test from 'node:test'
import { type Fact, Ledger } from './ledger.ts'

const FACT: Fact = 'mute 1 2'
const APART: Fact = 'apart 1 2'

test('a fact holds from the answer on, until a write against it begins', () => {
  const ledger = new Ledger()
  assert.ok(ledger.holds(FACT, false, 0, 5), 'nobody ever asked for it')
  const mute = ledger.begin([{ fact: FACT, on: true }], 10)
  assert.ok(!ledger.holds(FACT, false, 0, 10))
  assert.ok(!ledger.holds(FACT, true, 15, 15))
  mute.ack(20)
  assert.ok(!ledger.holds(FACT, true, 19, 30))
  assert.ok(ledger.holds(FACT, true, 20, 30))
  ledger.begin([{ fact: FACT, on: false }], 40)
  assert.ok(ledger.holds(FACT, true, 20, 39))
  assert.ok(!ledger.holds(FACT, true, 20, 40))
})

test('after writes that ran beside each other nobody knows', () => {
  const ledger = new Ledger()
  const [on, off] = [true, false].map(on => ledger.begin([{ fact: FACT, on }], 10))
  on?.ack(20)
  off?.ack(30)
  for (const is of [true, false]) assert.ok(!ledger.holds(FACT, is, 40, 40))
  ledger.begin([{ fact: FACT, on: false }], 50).ack(60)
  assert.ok(ledger.holds(FACT, false, 60, 70))
})

test('what was refused was never asked for, and what was lost may come for a while', () => {
  const ledger = new Ledger()
  ledger.begin([{ fact: FACT, on: true }], 10).refuse()
  assert.ok(ledger.holds(FACT, false, 20, 20))
  ledger.begin([{ fact: FACT, on: true }], 30).lose(40)
  ledger.begin([{ fact: FACT, on: false }], 50).ack(60)
  assert.ok(!ledger.holds(FACT, false, 70, 70))
  ledger.begin([{ fact: FACT, on: false }], 100_000).ack(100_010)
  assert.ok(ledger.holds(FACT, false, 100_010, 100_020))
})

test('a follow that waits for consent may come at any time, until it is taken back', () => {
  const ledger = new Ledger()
  ledger.begin([{ fact: APART, on: true }], -1).ack(-1)
  ledger.begin([{ fact: APART, on: false }], 10).pend()
  assert.ok(!ledger.holds(APART, true, 1_000_000, 1_000_000))
  ledger.begin([{ fact: APART, on: true }], 2_000_000).ack(2_000_010)
  assert.ok(!ledger.holds(APART, true, 2_000_010, 2_000_020), 'it may have come just then')
  ledger.begin([{ fact: APART, on: true }], 3_000_000).ack(3_000_010)
  assert.ok(ledger.holds(APART, true, 3_000_010, 3_000_020))
})
