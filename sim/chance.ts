import { createRandom } from '../packages/server/src/adapters/memory/random.ts'

/** Seeded chance; all that a run decides comes from it. */
export class Chance {
  readonly next: () => number

  constructor(seed: number) {
    this.next = createRandom(seed)
  }

  /** True with probability `p`. */
  happens(p: number): boolean {
    return p > 0 && this.next() < p
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.next()
  }

  /** 0 <= n < `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end)
  }

  /** @throws Error on an empty list */
  pick<T>(from: readonly T[]): T {
    if (from.length === 0) throw new Error('nothing to pick from')
    return from[this.below(from.length)] as T
  }

  /** A pause of an exponential distribution. */
  pause(mean: number): number {
    return -mean * Math.log(1 - this.next())
  }
}
