export interface SingleFlight<K, V> {
  /** Joins the flight of `key` if there is one, else starts it. A failure goes to all who joined. */
  fly(key: K, fn: () => Promise<V>): Promise<V>
  /** A `fly` after this starts anew; who has joined before still gets the old answer. */
  forget(key: K): void
  readonly flying: number
}

/** One flight per key at a time. Nothing is kept once it has landed. */
export function createSingleFlight<K, V>(): SingleFlight<K, V> {
  const flights = new Map<K, Promise<V>>()
  return {
    fly(key, fn) {
      const joined = flights.get(key)
      if (joined !== undefined) return joined
      const flight = (async () => fn())().finally(() => {
        if (flights.get(key) === flight) flights.delete(key)
      })
      flights.set(key, flight)
      return flight
    },
    forget(key) {
      flights.delete(key)
    },
    get flying() {
      return flights.size
    }
  }
}
