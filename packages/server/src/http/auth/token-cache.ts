import { hash } from 'node:crypto'
import type { UserId } from '@fanwise/sdk'

interface Entry {
  readonly user: UserId
  /** Unix ms. */
  readonly until: number
}

/** A key taken out of a key set stops working after this long at most. */
const KEEP_MS = 300_000

/** Verified tokens by their hash, so that a signature is checked once and no token stays in memory. */
export class TokenCache {
  readonly #entries = new Map<string, Entry>()
  readonly #max: number

  constructor(max = 10_000) {
    this.#max = max
  }

  get size(): number {
    return this.#entries.size
  }

  /** The user of a token that was verified and has not expired. */
  get(token: string): UserId | undefined {
    const key = hash('sha256', token, 'base64')
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#entries.delete(key)
    if (entry.until <= Date.now()) return undefined
    this.#entries.set(key, entry)
    return entry.user
  }

  /** `expires` in Unix ms. The token used least recently makes room. */
  set(token: string, user: UserId, expires: number): void {
    const until = Math.min(expires, Date.now() + KEEP_MS)
    this.#entries.set(hash('sha256', token, 'base64'), { user, until })
    if (this.#entries.size <= this.#max) return
    const [oldest] = this.#entries.keys()
    if (oldest !== undefined) this.#entries.delete(oldest)
  }
}
