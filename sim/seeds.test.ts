import assert from 'node:assert/strict'
import test from 'node:test'
import { thorough } from '../testkit/thorough.ts'
import { replayCommand } from './replay.ts'
import { shrink } from './shrink.ts'
import { simulate } from './simulation.ts'

const FIXED = thorough ? 200 : 20
const FRESH = thorough ? 50 : 4

async function judge(seed: number): Promise<void> {
  const { violation } = await simulate({ seed })
  if (violation === null) return
  const smallest = await shrink({ seed })
  assert.fail(`${smallest.violation.message}\n${replayCommand(smallest)}`)
}

test('runs that are always the same hold', async t => {
  t.diagnostic(`seeds 0 to ${FIXED - 1}`)
  for (let seed = 0; seed < FIXED; seed++) await judge(seed)
})

test('fresh runs hold', async t => {
  const first = Date.now() % 2 ** 31
  t.diagnostic(`seeds ${first} to ${first + FRESH - 1}`)
  for (let seed = first; seed < first + FRESH; seed++) await judge(seed)
})

test('a seed always gives the same run', async () => {
  const lines = async () => {
    const told: string[] = []
    await simulate({ seed: 3, steps: 25, trace: line => told.push(line) })
    return told
  }
  const first = await lines()
  assert.ok(first.length > 100)
  assert.deepEqual(await lines(), first)
})
