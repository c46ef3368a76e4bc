export interface KeyedLock {
  /** Resolves when all keys are held, with what frees them. First come, first served on each key. */
  acquire(keys: Iterable<string>): Promise<() => void>
  /** Keys held or waited for. */
  readonly size: number
}

/** Exclusive locks by name. Keys are taken in text order, so callers with several cannot wait for each other. */
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
      const held: (() => void)[] = []
      for (const key of [...new Set(keys)].sort()) {
        const { turn, free } = enqueue(key)
        held.push(free)
        await turn
      }
      return () => {
        for (const free of held) free()
      }
    },
    get size() {
      return tails.size
    }
  }
}
