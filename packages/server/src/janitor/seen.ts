import type { UserStore } from '../ports/store.ts'

export interface SeenContext {
  readonly store: Pick<UserStore, 'touchReaders'>
  readonly seen: Seen
}

/** Readers who were here since the last flush: many pages become one write. */
export interface Seen {
  note(reader: number): void
  /** Hands over up to `limit` readers and forgets them. */
  take(limit: number): readonly number[]
}

export function createSeen(): Seen {
  const readers = new Set<number>()
  return {
    note(reader) {
      readers.add(reader)
    },
    take(limit) {
      const taken = [...readers].slice(0, limit)
      for (const reader of taken) readers.delete(reader)
      return taken
    }
  }
}

/** Writes down who was here; after a failure they are kept for the next time. Returns how many. */
export async function flushSeen({ store, seen }: SeenContext, limit: number): Promise<number> {
  const readers = seen.take(limit)
  if (readers.length === 0) return 0
  try {
    await store.touchReaders(readers)
  } catch (error) {
    for (const reader of readers) seen.note(reader)
    throw error
  }
  return readers.length
}
