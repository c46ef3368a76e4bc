import { type Limits, PRESETS } from '../packages/server/src/domain/limits.ts'
import { Chance } from './chance.ts'
import { STEP_KINDS, type StepKind } from './kinds.ts'
import type { Weather } from './network.ts'

/** What a seed decides before anything happens. */
export interface Setting {
  readonly users: number
  readonly limits: Limits
  /** Processes start with different limits. */
  readonly changing: boolean
  readonly weather: Weather
  /** Partitions of the shared log; 0: each process has its own, fed by lanes. */
  readonly partitions: number
  /** Mean ms between steps. */
  readonly pace: number
}

/** An operation or a fault. Its own seed decides the rest of it, so that leaving others out does not change it. */
export interface Step {
  readonly index: number
  readonly kind: StepKind
  readonly seed: number
  /** ms after the step before. */
  readonly pause: number
}

export function settingOf(seed: number): Setting {
  const chance = new Chance(seed)
  const stuck = chance.pick([0, 0, 0, 0.02, 0.06])
  return {
    users: chance.pick([3, 4, 5, 6]),
    limits: {
      ...PRESETS['activity-feed'],
      cap: chance.pick([3, 4, 6, 10, 30]),
      slack: chance.pick([0, 2, 8]),
      threshold: chance.pick([2, 3, 3]),
      slice: chance.pick([1, 2, 1000]),
      idleMs: chance.pick([40_000, 10_000_000, 10_000_000]),
      cutMs: stuck > 0 ? 240_000 : 120_000,
      pageScan: chance.pick([4, 5000, 5000]),
      numberedPages: true
    },
    weather: {
      far: 0.2,
      slow: chance.pick([0, 0.02, 0.07]),
      stuck,
      lossy: chance.pick([0, 0, 0.01]),
      lateCommits: chance.pick([0, 0, 0.1])
    },
    partitions: chance.pick([0, 1, 2, 4]),
    changing: chance.happens(0.25),
    pace: chance.pick([100, 400, 1500, 5000])
  }
}

/** What an operator may choose anew at any time. */
export function changedLimits(chance: Chance): Partial<Limits> {
  return {
    cap: chance.pick([3, 4, 6, 10, 30]),
    threshold: chance.pick([2, 3]),
    delivery: chance.pick(['hybrid', 'hybrid', 'push', 'pull'])
  }
}

/** Each run leaves out some kinds, so that the others meet each other more often. */
export function planOf(seed: number, length: number): Step[] {
  const chance = new Chance(seed ^ 0x5bd1e995)
  const { pace } = settingOf(seed)
  const kinds = STEP_KINDS.filter(({ always }) => always === true || chance.happens(0.6))
  const bag = kinds.flatMap(({ kind, weight }) => Array<StepKind>(weight).fill(kind))
  return Array.from({ length }, (_, index) => ({
    index,
    kind: chance.pick(bag),
    seed: chance.below(2 ** 31),
    // Often several at about the same time.
    pause: chance.happens(0.4) ? chance.between(0, 60) : chance.pause(pace)
  }))
}

/** How many steps a run has unless it is told. */
export function lengthOf(seed: number): number {
  return new Chance(seed ^ 0x2545f491).pick([12, 25, 40, 60])
}
