export interface LruLimits<V> {
  /** Entries kept. */
  readonly max: number
  /** Sum of `size` over the entries kept. */
  readonly maxBytes?: number
  readonly size?: (value: V) => number
}

interface Entry<V> {
  readonly value: V
  readonly bytes: number
}

/** A map that drops its least recently used entries to stay within its limits. */
export class LruMap<K, V> {
  readonly #limits: LruLimits<V>
  readonly #entries = new Map<K, Entry<V>>()
  #bytes = 0

  constructor(limits: LruLimits<V>) {
    this.#limits = limits
  }

  get size(): number {
    return this.#entries.size
  }

  get bytes(): number {
    return this.#bytes
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  set(key: K, value: V): void {
    this.delete(key)
    const bytes = this.#limits.size?.(value) ?? 0
    this.#entries.set(key, { value, bytes })
    this.#bytes += bytes
    this.#trim()
  }

  delete(key: K): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0
    this.#entries.delete(key)
  }

  clear(): void {
    this.#entries.clear()
    this.#bytes = 0
  }

  #trim(): void {
    const { max, maxBytes = Infinity } = this.#limits
    for (const oldest of this.#entries.keys()) {
      if (this.size <= max && this.#bytes <= maxBytes) return
      this.delete(oldest)
    }
  }
}
