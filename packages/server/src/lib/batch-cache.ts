import { type LruLimits, LruMap } from './lru-map.ts'

export interface BatchCacheOptions<K, V> extends LruLimits<V> {
  /** Loads many at once; keys that do not exist are absent from the answer. */
  readonly load: (keys: readonly K[]) => Promise<ReadonlyMap<K, V>>
  /** Age at which an entry is loaded again, counted from the start of its load. */
  readonly ttlMs?: number
  /** ms; a monotonic clock. */
  readonly now: () => number
  /** While it says no, every key is loaded, and nothing is kept, joined or used that was kept before. */
  readonly usable?: () => boolean
}

export interface BatchCache<K, V> {
  /** Values of the keys that exist. Rejects when a load that it needs fails; nothing of that load is kept. */
  getMany(keys: readonly K[]): Promise<Map<K, V>>
  /** A get that begins after this sees nothing that was loaded, or began to be, before it. */
  forget(keys: Iterable<K>): void
  clear(): void
  stats(): { readonly entries: number; readonly bytes: number }
}

interface Entry<V> {
  readonly value: V
  readonly since: number
}

type Flight<K, V> = Promise<ReadonlyMap<K, V>>

/**
 * Keeps what `load` found, the least recently used going first. Loads in flight are joined, and absence is not
 * kept. A load is detached from a key that was forgotten meanwhile: it still answers who waited for it, but its
 * value, which may be stale, is not kept.
 */
export function createBatchCache<K, V>(options: BatchCacheOptions<K, V>): BatchCache<K, V> {
  const { load, now, max, maxBytes = Infinity, size = () => 0, ttlMs = Infinity } = options
  const { usable = () => true } = options
  const entries = new LruMap<K, Entry<V>>({ max, maxBytes, size: entry => size(entry.value) })
  const flights = new Map<K, Flight<K, V>>()

  function hit(key: K): Entry<V> | undefined {
    const entry = entries.get(key)
    if (entry === undefined || now() - entry.since < ttlMs) return entry
    entries.delete(key)
    return undefined
  }

  function start(keys: readonly K[]): Flight<K, V> {
    const since = now()
    const land = (values: ReadonlyMap<K, V>) => {
      for (const key of keys.filter(key => flights.get(key) === flight)) {
        flights.delete(key)
        const value = values.get(key)
        if (value !== undefined) entries.set(key, { value, since })
      }
    }
    const flight: Flight<K, V> = (async () => load(keys))()
    for (const key of keys) flights.set(key, flight)
    flight.then(land, () => land(new Map()))
    return flight
  }

  return {
    async getMany(keys) {
      if (!usable()) return new Map(await load([...new Set(keys)]))
      const found = new Map<K, V>()
      const waiting = new Map<K, Flight<K, V>>()
      const missing: K[] = []
      for (const key of new Set(keys)) {
        const entry = hit(key)
        const flight = flights.get(key)
        if (entry !== undefined) found.set(key, entry.value)
        else if (flight !== undefined) waiting.set(key, flight)
        else missing.push(key)
      }
      const flight = missing.length > 0 ? start(missing) : undefined
      for (const key of missing) if (flight !== undefined) waiting.set(key, flight)
      return collect(found, waiting)
    },
    forget(keys) {
      for (const key of keys) {
        entries.delete(key)
        flights.delete(key)
      }
    },
    clear() {
      entries.clear()
      flights.clear()
    },
    stats: () => ({ entries: entries.size, bytes: entries.bytes })
  }
}

/** Adds to `found` what the flights bring. The first that fails is thrown at once. */
async function collect<K, V>(
  found: Map<K, V>,
  waiting: ReadonlyMap<K, Flight<K, V>>
): Promise<Map<K, V>> {
  await Promise.all(new Set(waiting.values()))
  for (const [key, flight] of waiting) {
    const value = (await flight).get(key)
    if (value !== undefined) found.set(key, value)
  }
  return found
}
