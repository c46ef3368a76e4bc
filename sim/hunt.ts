import { importMutant, type Mutation } from './mutate.ts'
import type { ScenarioName } from './scenarios.ts'
import type { Violation } from './violation.ts'

/** A mutation, and what finds it: a scenario, or chance, which needs these many seeds. */
export interface Quarry extends Mutation {
  readonly by: { readonly scenario: ScenarioName } | { readonly seed: number }
}

export interface Catch {
  readonly with: string
  readonly violation: Violation
}

/** Looks for a mutation: first where it was found before, then seed by seed. Null: it is not found. */
export async function hunt(quarry: Quarry, seedsMax: number): Promise<Catch | null> {
  const { by } = quarry
  if ('scenario' in by) {
    const scenarios = await importMutant<typeof import('./scenarios.ts')>(quarry, './scenarios.ts')
    const violation = await scenarios.play(by.scenario)
    return violation === null ? null : { with: `scenario "${by.scenario}"`, violation }
  }
  const { simulate } = await importMutant<typeof import('./simulation.ts')>(
    quarry,
    './simulation.ts'
  )
  const seeds = [by.seed, ...Array.from({ length: seedsMax }, (_, seed) => seed)]
  for (const seed of seeds) {
    const { violation } = await simulate({ seed })
    if (violation !== null) return { with: `seed ${seed}`, violation }
  }
  return null
}
