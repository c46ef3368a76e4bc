import type { PostId } from '../packages/server/src/domain/post-id.ts'

/** What can stand between a reader and a post; on: the post must not be shown. */
export type Fact =
  | `gone ${PostId}`
  | `hide ${number} ${PostId}`
  | `mute ${number} ${number}`
  | `block ${number} ${number}`
  | `apart ${number} ${number}`
  | `suspend ${number}`
  | `private ${number}`

export interface Effect {
  readonly fact: Fact
  readonly on: boolean
}

/** A write that concerns facts: from when it was sent until it was answered. */
interface Claim {
  readonly on: boolean
  readonly start: number
  /** Infinity: not answered. */
  end: number
  acked: boolean
  /** It waits for somebody's consent. */
  pending: boolean
}

export interface PostRecord {
  readonly id: PostId
  readonly author: number
  /** When its author was told; Infinity: not. */
  acked: number
  /** When a worker had done its event; Infinity: not. */
  delivered: number
  /** The own push failed: other servers show it when the worker has pushed it. */
  owed: boolean
}

const NEVER = Number.POSITIVE_INFINITY

/** So long after its process died a write may still be done. */
const LINGER_MS = 30_000
/** Other processes go by what was announced until so long ago. */
const ANNOUNCED_MS = 100
const ANNOUNCED = new Set(['gone', 'suspend', 'private'])

/** What users were told, and so what every page has to keep to. It knows nothing of how pages are made. */
export class Ledger {
  readonly posts = new Map<PostId, PostRecord>()
  readonly #claims = new Map<Fact, Claim[]>()
  /** When all events behind a follow had been worked off, by reader and author. */
  readonly #settled = new Map<string, number>()

  /** A write begins. */
  begin(effects: readonly Effect[], now: number): Write {
    const claims = effects.map(({ fact, on }) => {
      const claim: Claim = { on, start: now, end: NEVER, acked: false, pending: false }
      this.#claims.set(fact, [...(this.#claims.get(fact) ?? []), claim])
      return claim
    })
    return {
      ack: at => {
        for (const [i, claim] of claims.entries()) {
          Object.assign(claim, { end: at, acked: true })
          if (claim.on) this.#withdraw(effects[i]?.fact, claim.start, at)
        }
      },
      pend: () => {
        for (const claim of claims) claim.pending = true
      },
      lose: at => {
        for (const claim of claims) claim.end = at + LINGER_MS
      },
      refuse: () => {
        for (const [i, { fact }] of effects.entries()) {
          const left = (this.#claims.get(fact) ?? []).filter(claim => claim !== claims[i])
          this.#claims.set(fact, left)
        }
      }
    }
  }

  /** What waited for consent gets none any more. */
  #withdraw(fact: Fact | undefined, before: number, at: number): void {
    for (const claim of (fact && this.#claims.get(fact)) ?? [])
      if (claim.pending && claim.start < before) Object.assign(claim, { end: at, pending: false })
  }

  /** Whether a fact has been `on` (or off) for sure all the time between. */
  holds(fact: Fact, on: boolean, from: number, to: number): boolean {
    const claims = this.#claims.get(fact) ?? []
    const told = claims.filter(claim => claim.acked && claim.on === on && claim.end <= from)
    const since = told.reduce((latest, { start }) => Math.max(latest, start), -1)
    const against = claims.some(claim => claim.on !== on && claim.start <= to && claim.end >= since)
    return !against && (told.length > 0 || !on)
  }

  /** All events until now are worked off. */
  settle(now: number): void {
    for (const [fact] of this.#claims) {
      if (!fact.startsWith('apart ') || !this.holds(fact, false, now, now)) continue
      if (!this.#settled.has(fact)) this.#settled.set(fact, now)
    }
  }

  /** A follow is settled until something ends it. */
  unsettle(effects: readonly Effect[]): void {
    for (const { fact, on } of effects) if (on) this.#settled.delete(fact)
  }

  isSettled(reader: number, author: number, before: number): boolean {
    const at = this.#settled.get(`apart ${reader} ${author}`)
    return at !== undefined && at <= before
  }

  /** Why a page that was asked for at `from` must not show a post; null: it may. */
  forbids(reader: number, post: PostRecord, from: number, to: number): Fact | null {
    const facts = this.#factsOf(reader, post)
    return facts.find(fact => this.holds(fact, true, from - slack(fact), to)) ?? null
  }

  /** Whether a page that was asked for at `from` must show a post if it lies on it. */
  demands(reader: number, post: PostRecord, from: number, to: number): boolean {
    const own = post.author === reader
    const there = own && !post.owed ? post.acked : post.delivered
    if (there > from) return false
    if (!own && !this.isSettled(reader, post.author, from)) return false
    return this.#factsOf(reader, post).every(fact =>
      this.holds(fact, false, from - slack(fact), to)
    )
  }

  #factsOf(reader: number, { id, author }: PostRecord): Fact[] {
    const facts: Fact[] = [`gone ${id}`, `hide ${reader} ${id}`, `suspend ${author}`]
    if (author === reader) return facts
    return [
      ...facts,
      `mute ${reader} ${author}`,
      `block ${reader} ${author}`,
      `block ${author} ${reader}`,
      `apart ${reader} ${author}`
    ]
  }
}

export interface Write {
  /** The user was told that it is done. */
  ack(at: number): void
  /** It is done when somebody consents, whenever that is. */
  pend(): void
  /** Nobody knows whether it is done. */
  lose(at: number): void
  /** It was refused: nothing was done. */
  refuse(): void
}

function slack(fact: Fact): number {
  return ANNOUNCED.has(fact.split(' ')[0] ?? '') ? ANNOUNCED_MS : 0
}
