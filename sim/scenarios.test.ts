import assert from 'node:assert/strict'
import test from 'node:test'
import { play, SCENARIO_NAMES } from './scenarios.ts'

for (const name of SCENARIO_NAMES)
  test(`the scenario "${name}" holds`, async () => assert.equal(await play(name), null))
