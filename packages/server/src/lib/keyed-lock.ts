export interface KeyedLock {
  /** Resolves when all keys are held, with what frees them. First come, first served on each key. */
  acquire(keys: Iterable<string>): Promise<() => void>
  /** Keys held or waited for. */
  readonly size: number
}

/**
 * Exclusive locks by name. A caller takes its place in the queues of all its keys at once, so that everywhere the
 * earlier caller stands before the later one, and none wait for each other in a circle.
 */
export function createKeyedLock(): KeyedLock {
  const tails = new Map<string, Promise<void>>()

  function enqueue(key: string): { turn: Promise<void> | undefined; free: () => void } {
    const turn = tails.get(key)
    const { promise, resolve } = Promise.withResolvers<void>()
    tails.set(key, promise)
    const free = () => {
      if (tails.get(key) === promise) tails.delete(key)
      resolve()
    }
    return { turn, free }
  }

  return {
    async acquire(keys) {
      const places = [...new Set(keys)].map(enqueue)
      await Promise.all(places.map(({ turn }) => turn))
      return () => {
        for (const { free } of places) free()
      }
    },
    get size() {
      return tails.size
    }
  }
}
