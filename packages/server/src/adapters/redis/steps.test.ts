import assert from 'node:assert/strict'
import { test } from 'node:test'
import { STEP_MS, Steps } from './steps.ts'

test('who has heard the highest number is in step, as of when it was asked for', () => {
  const steps = new Steps()
  assert.equal(steps.inStep(0), false)
  assert.equal(steps.learn(7, steps.ask(1000)), true)
  assert.equal(steps.inStep(1000 + STEP_MS), true)
  assert.equal(steps.inStep(1001 + STEP_MS), false)
  assert.equal(steps.learn(9, steps.ask(1050)), true)
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
  assert.equal(steps.hear(3), true, 'nothing was heard before')
  assert.equal(steps.learn(5, steps.ask(0)), true)
  assert.equal(steps.hear(4), true, 'on its way as the number was asked for')
  assert.equal(steps.hear(5), true)
  const question = steps.ask(10)
  assert.equal(steps.hear(6), true)
  assert.equal(steps.learn(5, question), true, 'an answer from before 6')
  assert.equal(steps.hear(8), false)
  assert.equal(steps.hear(9), true)
})

test('a count that falls is another count', () => {
  const steps = new Steps()
  steps.learn(5, steps.ask(0))
  assert.equal(steps.learn(4, steps.ask(50)), false)
  assert.equal(steps.hear(5), true)
})

test('where nothing was counted yet, nothing can have been missed', () => {
  const steps = new Steps()
  assert.equal(steps.learn(null, steps.ask(1000)), true)
  assert.equal(steps.inStep(1000), true)
  assert.equal(steps.hear(1_700_000_000_000_000), true, 'a count begins anywhere')
  steps.learn(1_700_000_000_000_000, steps.ask(1050))
  assert.equal(steps.learn(null, steps.ask(1100)), false, 'the count was lost')
})

test('a lost connection leaves nothing certain', () => {
  const steps = new Steps()
  steps.learn(5, steps.ask(1000))
  steps.lose()
  assert.equal(steps.inStep(1000), false)
  assert.equal(steps.learn(9, steps.ask(1010)), true)
  assert.equal(steps.inStep(1010), true)
})
