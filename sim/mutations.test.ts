// The simulator is worth what it finds: each known mistake has to be found.
import assert from 'node:assert/strict'
import test from 'node:test'
import { thorough } from '../testkit/thorough.ts'
import { hunt, type Quarry } from './hunt.ts'
import { mutate } from './mutate.ts'
import { MUTATIONS } from './mutations.ts'

const SEEDS_MAX = 500
/** Chance finds these soon. */
const SOON = 3

function isQuick({ by }: Quarry): boolean {
  return 'scenario' in by || by.seed < SOON
}

const chosen = MUTATIONS.filter(mutation => thorough || isQuick(mutation))

test('there are mutations, each with a name of its own', () => {
  assert.ok(chosen.length >= 15)
  assert.equal(new Set(MUTATIONS.map(({ name }) => name)).size, MUTATIONS.length)
})

for (const mutation of chosen)
  test(`it is found when this is off: ${mutation.off}`, async t => {
    const found = await hunt(mutation, SEEDS_MAX)
    assert.ok(found !== null, `${mutation.name} is not found within ${SEEDS_MAX} seeds`)
    t.diagnostic(`${mutation.name}, ${found.with}: ${found.violation.message.slice(0, 100)}`)
  })

test('a mutation whose text is not there once is an error', () => {
  const [first] = MUTATIONS
  assert.ok(first !== undefined)
  assert.throws(() => mutate(first, ''), /stands 0 times/)
  assert.throws(() => mutate(first, first.find + first.find), /stands 2 times/)
})
