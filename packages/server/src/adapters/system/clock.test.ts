import assert from 'node:assert/strict'
import test from 'node:test'
import { clockConformance } from '../../ports/clock.conformance.ts'
import { createSystemClock } from './clock.ts'

clockConformance('system clock', () => {
  const clock = createSystemClock()
  return { clock, pass: ms => clock.sleep(ms) }
})

test('the system clock tells the time of this machine', () => {
  assert.ok(Math.abs(createSystemClock().now() - Date.now()) < 1000)
})

test('a pause longer than a timer takes does not end at once', async () => {
  const stop = new AbortController()
  let ended = false
  const sleep = createSystemClock()
    .sleep(2 ** 40, stop.signal)
    .then(() => {
      ended = true
    })
  await createSystemClock().sleep(5)
  assert.equal(ended, false)
  stop.abort()
  await sleep
})
