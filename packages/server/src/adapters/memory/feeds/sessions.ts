import type { PostId } from '../../../domain/post-id.ts'
import { SESSIONS_MAX, type Session, type SessionPart } from '../../../ports/feeds.ts'
import { type Expiring, ExpiringLru } from './expiring-lru.ts'

/** Estimates: a reader with their sessions, and an id. */
const RECORD_BYTES = 600
const ID_BYTES = 40

interface Held {
  readonly id: string
  readonly ids: PostId[]
}

interface Slot extends Expiring {
  /** The one made last comes first. */
  readonly sessions: readonly Held[]
}

/** Readers' frozen walks, two of each. */
export class Sessions {
  readonly #monotonic: () => number
  readonly #slots: ExpiringLru<number, Slot>

  constructor(bytesMax: number, monotonic: () => number) {
    this.#monotonic = monotonic
    this.#slots = new ExpiringLru(bytesMax, monotonic)
  }

  get bytes(): number {
    return this.#slots.bytes
  }

  find(reader: number, id: string | null, { from, to }: SessionPart): Session | null {
    const sessions = this.#slots.get(reader)?.sessions ?? []
    const held = sessions.find(session => id === null || session.id === id)
    if (held === undefined) return null
    const { ids } = held
    return { id: held.id, length: ids.length, last: ids.at(-1) ?? null, ids: ids.slice(from, to) }
  }

  extend(
    reader: number,
    id: string,
    length: number,
    ids: readonly PostId[],
    ttlMs: number
  ): boolean {
    const sessions = this.#slots.get(reader)?.sessions ?? []
    const held = sessions.find(session => session.id === id)
    if ((held?.ids.length ?? 0) !== length) return false
    held?.ids.push(...ids)
    const kept =
      held === undefined ? [{ id, ids: [...ids] }, ...sessions].slice(0, SESSIONS_MAX) : sessions
    const bytes = kept.reduce((sum, one) => sum + one.ids.length * ID_BYTES, RECORD_BYTES)
    this.#slots.set(reader, { sessions: kept, bytes, expiresAt: this.#monotonic() + ttlMs })
    this.#slots.trim()
    return true
  }

  clear(): void {
    this.#slots.clear()
  }

  expire(): void {
    this.#slots.expire()
  }

  snapshot(): () => void {
    return this.#slots.snapshot(({ sessions, ...rest }) => ({
      ...rest,
      sessions: sessions.map(({ id, ids }) => ({ id, ids: [...ids] }))
    }))
  }
}
