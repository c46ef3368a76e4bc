import { lengthOf } from './setting.ts'
import { type RunOptions, simulate } from './simulation.ts'
import type { Violation } from './violation.ts'

export interface Smallest {
  readonly seed: number
  readonly steps: number
  readonly skip: ReadonlySet<number>
  readonly violation: Violation
}

/** Leaves out ever smaller stretches of steps as long as the run still fails. */
export async function shrink(options: RunOptions): Promise<Smallest> {
  const { seed, steps = lengthOf(seed) } = options
  let skip: ReadonlySet<number> = new Set(options.skip)
  let { violation } = await simulate(options)
  if (violation === null) throw new Error(`seed ${seed} does not fail`)
  for (let size = steps >> 1; size >= 1; size >>= 1) {
    for (let start = 0; start < steps; start += size) {
      const stretch = Array.from({ length: size }, (_, i) => start + i).filter(i => i < steps)
      if (stretch.every(index => skip.has(index))) continue
      const more = new Set([...skip, ...stretch])
      const ran = await simulate({ seed, steps, skip: more })
      if (ran.violation === null) continue
      skip = more
      violation = ran.violation
    }
  }
  return { seed, steps, skip, violation }
}
