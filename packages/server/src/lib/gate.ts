/** The queue of a gate is full: the caller has to come back later. */
export class GateFullError extends Error {
  constructor(waiting: number) {
    super(`${waiting} are waiting already`)
    this.name = 'GateFullError'
  }
}

export interface Gate {
  /** Runs `fn` as soon as a place is free, in the order of the calls. @throws GateFullError */
  run<T>(fn: () => Promise<T>): Promise<T>
  stats(): { readonly running: number; readonly waiting: number }
}

/** Lets at most `concurrency` run at once, and at most `queueMax` wait. */
export function createGate(options: { concurrency: number; queueMax?: number }): Gate {
  const { concurrency, queueMax = Infinity } = options
  const queue: (() => void)[] = []
  let running = 0

  async function enter(): Promise<void> {
    if (running < concurrency) {
      running++
      return
    }
    if (queue.length >= queueMax) throw new GateFullError(queue.length)
    await new Promise<void>(resolve => queue.push(resolve))
  }

  /** The place goes straight to the next in the queue: nobody overtakes. */
  function leave(): void {
    const next = queue.shift()
    if (next === undefined) running--
    else next()
  }

  return {
    async run(fn) {
      await enter()
      try {
        return await fn()
      } finally {
        leave()
      }
    },
    stats: () => ({ running, waiting: queue.length })
  }
}
