// How long and from where random tests run, set from outside: FANWISE_TEST_RUNS, FANWISE_TEST_SEED.
import type { Parameters } from 'fast-check'

/** For fc.assert; fast-check prints the seed of a failure. */
export function runs<T>(numRuns: number): Parameters<T> {
  const seed = process.env.FANWISE_TEST_SEED
  return {
    numRuns: Number(process.env.FANWISE_TEST_RUNS ?? numRuns),
    endOnFailure: true,
    ...(seed !== undefined && { seed: Number(seed) })
  }
}
