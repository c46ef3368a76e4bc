/** A seeded source of chance (mulberry32): the same seed gives the same community everywhere. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** 0 <= x < 1 */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let x = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x
    return ((x ^ (x >>> 14)) >>> 0) / 4_294_967_296
  }

  /** 0 <= i < below */
  index(below: number): number {
    return Math.floor(this.next() * below)
  }

  pick<T>(among: readonly T[]): T {
    const picked = among[this.index(among.length)]
    if (picked === undefined) throw new RangeError('nothing to pick from')
    return picked
  }

  /** Normally distributed, mean 0, deviation 1 (Box and Muller 1958). */
  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next())
  }
}

/** Draws indexes with the weights `1 / (rank + 1) ** exponent`: few get much, many get little (Zipf). */
export class Zipf {
  readonly #cumulated: Float64Array
  readonly #random: Random

  constructor(random: Random, size: number, exponent: number) {
    this.#random = random
    this.#cumulated = new Float64Array(size)
    let sum = 0
    for (let rank = 0; rank < size; rank++) {
      sum += 1 / (rank + 1) ** exponent
      this.#cumulated[rank] = sum
    }
  }

  draw(): number {
    const last = this.#cumulated.length - 1
    const target = this.#random.next() * (this.#cumulated[last] ?? 0)
    let low = 0
    let high = last
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#cumulated[middle] ?? 0) < target) low = middle + 1
      else high = middle
    }
    return low
  }
}
