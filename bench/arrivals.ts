/** Counts what arrives, and tells whoever waits for a count or for a key. */
export class Arrivals {
  #count = 0
  #goal: { readonly count: number; readonly done: PromiseWithResolvers<void> } | undefined
  readonly #waiting = new Map<string, PromiseWithResolvers<void>>()
  readonly #early = new Set<string>()

  get count(): number {
    return this.#count
  }

  note(keys: readonly string[]): void {
    this.#count += keys.length
    for (const key of keys) {
      const waiting = this.#waiting.get(key)
      if (waiting === undefined) this.#early.add(key)
      waiting?.resolve()
      this.#waiting.delete(key)
    }
    if (this.#goal !== undefined && this.#count >= this.#goal.count) this.#goal.done.resolve()
  }

  /** Resolves when so many have arrived in all. */
  async until(count: number): Promise<void> {
    if (this.#count >= count) return
    this.#goal = { count, done: Promise.withResolvers() }
    await this.#goal.done.promise
  }

  /** Resolves when this one arrives, or has arrived. */
  async of(key: string): Promise<void> {
    if (this.#early.delete(key)) return
    const waiting = Promise.withResolvers<void>()
    this.#waiting.set(key, waiting)
    await waiting.promise
  }

  /** Forgets which keys came unasked. */
  forget(): void {
    this.#early.clear()
  }
}
