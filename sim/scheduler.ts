/** What happens when, in virtual ms. Nothing runs by itself: `run` takes one effect after the other. */
interface Due {
  readonly at: number
  readonly order: number
  readonly happen: () => void
}

/** Resolves when all that can go on without a further effect has done so. */
function rest(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}

function isBefore(a: Due, b: Due): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order)
}

/** A heap of effects. Those due at the same time happen in the order in which they were asked for. */
export class Scheduler {
  /** ms since the start. */
  now = 0
  /** Effects that have happened. */
  effects = 0
  readonly #heap: Due[] = []
  #order = 0

  after(ms: number, happen: () => void): void {
    const due = { at: this.now + Math.max(0, ms), order: this.#order++, happen }
    let place = this.#heap.push(due) - 1
    while (place > 0) {
      const parent = (place - 1) >> 1
      const above = this.#heap[parent] as Due
      if (isBefore(above, due)) break
      this.#heap[place] = above
      place = parent
    }
    this.#heap[place] = due
  }

  /** Lets everything happen that is due by `until`, or until `done`. */
  async run(until: number, done: () => boolean = () => false): Promise<void> {
    await rest()
    for (;;) {
      if (done()) return
      const next = this.#heap[0]
      if (next === undefined || next.at > until) break
      this.#takeFirst()
      this.now = Math.max(this.now, next.at)
      this.effects++
      next.happen()
      await rest()
    }
    this.now = Math.max(this.now, until)
  }

  #takeFirst(): void {
    const last = this.#heap.pop() as Due
    const size = this.#heap.length
    if (size === 0) return
    let place = 0
    for (;;) {
      let child = 2 * place + 1
      if (child >= size) break
      if (child + 1 < size && isBefore(this.#heap[child + 1] as Due, this.#heap[child] as Due))
        child++
      if (isBefore(last, this.#heap[child] as Due)) break
      this.#heap[place] = this.#heap[child] as Due
      place = child
    }
    this.#heap[place] = last
  }
}
