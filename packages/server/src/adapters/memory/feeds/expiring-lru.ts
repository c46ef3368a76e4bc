/** What the map keeps of each value; `expiresAt` by the monotonic clock, in ms. */
export interface Expiring {
  bytes: number
  expiresAt: number
}

/** A map whose values expire, within a budget of bytes: the least recently used go first. */
export class ExpiringLru<K, V extends Expiring> {
  readonly #bytesMax: number
  readonly #monotonic: () => number
  readonly #values = new Map<K, V>()
  #bytes = 0

  constructor(bytesMax: number, monotonic: () => number) {
    this.#bytesMax = bytesMax
    this.#monotonic = monotonic
  }

  get bytes(): number {
    return this.#bytes
  }

  get size(): number {
    return this.#values.size
  }

  /** Does not count as a use. */
  get(key: K): V | undefined {
    const value = this.#values.get(key)
    if (value === undefined || value.expiresAt > this.#monotonic()) return value
    this.delete(key)
    return undefined
  }

  set(key: K, value: V): void {
    this.delete(key)
    this.#values.set(key, value)
    this.#bytes += value.bytes
  }

  /** A use: it goes last, and lives until `expiresAt`. */
  touch(key: K, value: V, expiresAt: number): void {
    value.expiresAt = expiresAt
    this.#values.delete(key)
    this.#values.set(key, value)
  }

  resize(value: V, bytes: number): void {
    this.#bytes += bytes - value.bytes
    value.bytes = bytes
  }

  delete(key: K): void {
    const value = this.#values.get(key)
    if (value === undefined) return
    this.#bytes -= value.bytes
    this.#values.delete(key)
  }

  clear(): void {
    this.#values.clear()
    this.#bytes = 0
  }

  /** Drops the least recently used until the budget is kept. Returns how many. */
  trim(): number {
    let dropped = 0
    if (this.#bytes <= this.#bytesMax) return dropped
    for (const key of this.#values.keys()) {
      if (this.#bytes <= this.#bytesMax) break
      this.delete(key)
      dropped++
    }
    return dropped
  }

  /** Drops what has expired. Returns how many. */
  expire(): number {
    const now = this.#monotonic()
    const before = this.size
    for (const [key, value] of this.#values) if (value.expiresAt <= now) this.delete(key)
    return before - this.size
  }

  /** Keeps what it holds now, copied by `copy`; calling the answer brings that back. */
  snapshot(copy: (value: V) => V): () => void {
    const kept = [...this.#values].map(([key, value]) => [key, copy(value)] as const)
    return () => {
      this.clear()
      for (const [key, value] of kept) this.set(key, copy(value))
    }
  }

  values(): Iterable<V> {
    return this.#values.values()
  }
}
