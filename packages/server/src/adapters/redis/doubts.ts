import { FLIGHT_MS } from '../../domain/limits.ts'

/** More lists in doubt than this are not told apart: then all of the server is dropped. */
const DOUBTS_MAX = 100_000

/**
 * Lists to which something was written that no answer came for. What was decided to be in time, and lands later than
 * FLIGHT_MS after, would stand in a wrong place: such a list is dropped before its server is written to again.
 */
export class Doubts {
  readonly #lists = new Map<string, number>()
  #all = false

  get size(): number {
    return this.#lists.size
  }

  /** So many that all lists of the server are in doubt. */
  get all(): boolean {
    return this.#all
  }

  /** `decidedAt`: by the monotonic clock, when it was decided what is late. */
  add(key: string, decidedAt: number): void {
    const earliest = Math.min(decidedAt, this.#lists.get(key) ?? decidedAt)
    this.#lists.set(key, earliest)
    if (this.#lists.size > DOUBTS_MAX) this.#all = true
    if (this.#all) this.#lists.clear()
  }

  delete(key: string): void {
    this.#lists.delete(key)
  }

  clear(): void {
    this.#lists.clear()
    this.#all = false
  }

  /** Those where what was written may have landed too late, once it is certain that nothing lands any more. */
  overdue(now: number): readonly string[] {
    return [...this.#lists].filter(([, at]) => now - at >= FLIGHT_MS).map(([key]) => key)
  }
}
