import type { Rules } from '../../../domain/rules.ts'
import type { RulesRead } from '../../../ports/feeds.ts'
import { type Expiring, ExpiringLru } from './expiring-lru.ts'

const LEASE_MS = 5000
const RULES_MS = 3_600_000

/** Estimates: the record with its five collections, and one element of any of them. */
const RECORD_BYTES = 800
const ELEMENT_BYTES = 40

interface Slot extends Expiring {
  readonly held: Rules | { readonly lease: string }
}

/** Readers' rules, each filled under the lease of whoever loads them: a change meanwhile voids it. */
export class RulesCache {
  readonly #monotonic: () => number
  readonly #slots: ExpiringLru<number, Slot>
  #leases = 0

  constructor(bytesMax: number, monotonic: () => number) {
    this.#monotonic = monotonic
    this.#slots = new ExpiringLru(bytesMax, monotonic)
  }

  get bytes(): number {
    return this.#slots.bytes
  }

  read(reader: number): RulesRead {
    const slot = this.#slots.get(reader)
    if (slot === undefined) return { lease: this.#lend(reader) }
    if ('lease' in slot.held) return { lease: null }
    this.#slots.touch(reader, slot, slot.expiresAt)
    return { rules: slot.held }
  }

  #lend(reader: number): string {
    const lease = String(++this.#leases)
    this.#keep(reader, { lease }, RECORD_BYTES, LEASE_MS)
    return lease
  }

  fill(reader: number, lease: string, rules: Rules): void {
    const held = this.#slots.get(reader)?.held
    if (held !== undefined && 'lease' in held && held.lease === lease) {
      this.#keep(reader, rules, rulesBytes(rules), RULES_MS)
    }
  }

  #keep(reader: number, held: Slot['held'], bytes: number, ttlMs: number): void {
    this.#slots.set(reader, { held, bytes, expiresAt: this.#monotonic() + ttlMs })
    this.#slots.trim()
  }

  drop(reader: number): void {
    this.#slots.delete(reader)
  }

  clear(): void {
    this.#slots.clear()
  }

  /** See ExpiringLru. Leases that were lent since are not lent again. */
  snapshot(): () => void {
    return this.#slots.snapshot(slot => ({ ...slot }))
  }

  expire(): void {
    this.#slots.expire()
  }
}

function rulesBytes({ blocks, mutes, cuts, hides, pulled }: Rules): number {
  const elements = blocks.size + mutes.size + cuts.size + hides.size + pulled.size
  return RECORD_BYTES + elements * ELEMENT_BYTES
}
