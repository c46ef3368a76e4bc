import assert from 'node:assert/strict'
import { test } from 'node:test'
import { STEP_MS, Steps } from './steps.ts'

test('who has heard the highest number is in step, as of when it was asked for', () => {
  const steps = new Steps()
  assert.equal(steps.inStep(0), false)
  assert.equal(steps.learn(7, 1000), true)
  assert.equal(steps.inStep(1000 + STEP_MS), true)
  assert.equal(steps.inStep(1001 + STEP_MS), false)
  assert.equal(steps.learn(9, 1050), true)
  assert.equal(steps.inStep(1101), false, '8 and 9 are out and were not heard')
  assert.equal(steps.waitingSince, 1050)
  assert.equal(steps.hear(8), true)
  assert.equal(steps.inStep(1101), false)
  assert.equal(steps.hear(9), true)
  assert.equal(steps.inStep(1150), true)
  assert.equal(steps.waitingSince, undefined)
})

test('a message that follows on no other tells that some were lost', () => {
  const steps = new Steps()
  assert.equal(steps.hear(3), true, 'before a number was asked for nothing can be missed')
  steps.learn(5, 0)
  assert.equal(steps.hear(5), true, 'on its way as the number was asked for')
  assert.equal(steps.hear(7), false)
  assert.equal(steps.hear(8), true)
})

test('a count that falls is another count', () => {
  const steps = new Steps()
  steps.learn(5, 0)
  assert.equal(steps.learn(4, 50), false)
  assert.equal(steps.hear(5), true)
})

test('a lost connection leaves nothing certain', () => {
  const steps = new Steps()
  steps.learn(5, 1000)
  steps.lose()
  assert.equal(steps.inStep(1000), false)
  assert.equal(steps.learn(9, 1010), true)
  assert.equal(steps.inStep(1010), true)
})
