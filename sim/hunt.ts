import { importMutant, type Mutation } from './mutate.ts'
import type { ScenarioName } from './scenarios.ts'
import type { Violation } from './violation.ts'

/** A mutation, and the scenario that finds it. */
export interface Quarry extends Mutation {
  readonly scenario: ScenarioName
}

/** What the scenario of a mutation finds; null: nothing. */
export async function huntByScenario(quarry: Quarry): Promise<Violation | null> {
  const { play } = await importMutant<typeof import('./scenarios.ts')>(quarry, './scenarios.ts')
  return play(quarry.scenario)
}

/** What chance finds, and with which seed; null: nothing within `seedsMax`. */
export async function huntByChance(
  mutation: Mutation,
  seedsMax: number
): Promise<{ readonly seed: number; readonly violation: Violation } | null> {
  const { simulate } = await importMutant<typeof import('./simulation.ts')>(
    mutation,
    './simulation.ts'
  )
  for (let seed = 0; seed < seedsMax; seed++) {
    const { violation } = await simulate({ seed })
    if (violation !== null) return { seed, violation }
  }
  return null
}
