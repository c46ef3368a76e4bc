import assert from 'node:assert/strict'
import test from 'node:test'
import { importMutant } from './mutate.ts'
import { MUTATIONS } from './mutations.ts'
import { parseRanges, replayCommand } from './replay.ts'

test('a run that fails is cut down to steps that fail as well', async () => {
  const mutation = MUTATIONS.find(({ name }) => name === 'floor-end')
  assert.ok(mutation !== undefined)
  const { shrink } = await importMutant<typeof import('./shrink.ts')>(mutation, './shrink.ts')
  const { simulate } = await importMutant<typeof import('./simulation.ts')>(
    mutation,
    './simulation.ts'
  )
  const { seed, steps, skip, violation } = await shrink({ seed: 0, steps: 12 })
  assert.ok(skip.size > 0)
  const again = await simulate({ seed, steps, skip })
  assert.equal(again.violation?.message, violation.message)
})

test('the command of a replay leaves out the same steps', () => {
  const skip = new Set([7, 0, 1, 2, 5])
  const command = replayCommand({ seed: 3, steps: 9, skip })
  assert.equal(command, 'npm run sim -- --seed=3 --steps=9 --skip=0-2,5,7 --trace')
  assert.deepEqual(parseRanges('0-2,5,7'), new Set([0, 1, 2, 5, 7]))
  assert.deepEqual(parseRanges(''), new Set())
})
