/** A relation of users, found from both sides. Each edge has the number that it was made with. */
export class Edges {
  readonly #out = new Map<number, Map<number, number>>()
  readonly #in = new Map<number, Map<number, number>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  has(from: number, to: number): boolean {
    return this.#out.get(from)?.has(to) ?? false
  }

  add(from: number, to: number, seq: number): void {
    if (this.has(from, to)) return
    this.#size++
    side(this.#out, from).set(to, seq)
    side(this.#in, to).set(from, seq)
  }

  remove(from: number, to: number): void {
    if (!this.has(from, to)) return
    this.#size--
    this.#out.get(from)?.delete(to)
    this.#in.get(to)?.delete(from)
  }

  /** The other ends of what begins at `from`, with the edges' numbers. */
  from(from: number): ReadonlyMap<number, number> {
    return this.#out.get(from) ?? NONE
  }

  /** The other ends of what leads to `to`, with the edges' numbers. */
  to(to: number): ReadonlyMap<number, number> {
    return this.#in.get(to) ?? NONE
  }
}

const NONE: ReadonlyMap<number, number> = new Map()

function side(edges: Map<number, Map<number, number>>, user: number): Map<number, number> {
  const found = edges.get(user) ?? new Map<number, number>()
  edges.set(user, found)
  return found
}
