// The simulator is worth what it finds: each known mistake has to be found.
import assert from 'node:assert/strict'
import test from 'node:test'
import { thorough } from '../testkit/thorough.ts'
import { huntByChance, huntByScenario } from './hunt.ts'
import { mutate } from './mutate.ts'
import { MUTATIONS } from './mutations.ts'

const SEEDS_MAX = 500

/** Chance finds each of these within a few seeds. */
const COMMON = ['floor', 'floor-end', 'cut', 'trim-floor', 'looked-at', 'tell-followers']

test('there are mutations, each with a name of its own', () => {
  assert.ok(MUTATIONS.length >= 15)
  assert.equal(new Set(MUTATIONS.map(({ name }) => name)).size, MUTATIONS.length)
})

for (const mutation of MUTATIONS)
  test(`${mutation.name}: it is found when this is off: ${mutation.off}`, async () => {
    const violation = await huntByScenario(mutation)
    assert.ok(violation !== null, `the scenario "${mutation.scenario}" finds nothing`)
  })

for (const mutation of MUTATIONS.filter(({ name }) => thorough && COMMON.includes(name)))
  test(`${mutation.name}: chance finds it`, async t => {
    const found = await huntByChance(mutation, SEEDS_MAX)
    assert.ok(found !== null, `it is not found within ${SEEDS_MAX} seeds`)
    t.diagnostic(`seed ${found.seed}: ${found.violation.message.slice(0, 100)}`)
  })

test('a mutation whose text is not there once is an error', () => {
  const [first] = MUTATIONS
  assert.ok(first !== undefined)
  assert.throws(() => mutate(first, ''), /stands 0 times/)
  assert.throws(() => mutate(first, first.find + first.find), /stands 2 times/)
})
