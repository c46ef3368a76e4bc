import { Problem } from '../../../domain/errors.ts'
import type { LoggedEvent } from '../../../domain/event.ts'
import { LANES } from '../../../domain/post-id.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Lanes, OutboxStore } from '../../../ports/store.ts'
import type { Context } from './context.ts'
import { deadEvents } from './dead-events.ts'
import type { OutboxRow, Tables } from './tables.ts'

/** Which lanes are held, by anybody. */
type Holds = Set<number>

/** A hold on lanes, as a database session has it: each lane has at most one holder. */
class MemoryLanes implements Lanes {
  readonly #tables: Tables
  readonly #clock: Pick<Clock, 'now'>
  readonly #holds: Holds
  readonly #held = new Set<number>()
  #open = true

  constructor({ tables, clock }: Pick<Context, 'tables' | 'clock'>, holds: Holds) {
    this.#tables = tables
    this.#clock = clock
    this.#holds = holds
  }

  async claim(): Promise<readonly number[]> {
    this.#mustBeOpen()
    for (let lane = 0; lane < LANES; lane++) {
      if (this.#holds.has(lane)) continue
      this.#holds.add(lane)
      this.#held.add(lane)
    }
    return [...this.#held].sort((a, b) => a - b)
  }

  async unpublished(lanes: readonly number[], limit: number): Promise<readonly LoggedEvent[]> {
    this.#mustBeOpen()
    const wanted = new Set(lanes.filter(lane => this.#held.has(lane)))
    const rows = [...this.#tables.outbox.values()].filter(({ lane }) => wanted.has(lane))
    const byLane = Map.groupBy(rows, ({ lane }) => lane)
    return [...byLane].sort(([a], [b]) => a - b).flatMap(([, rows]) => firstOf(rows, limit))
  }

  async markPublished(ids: readonly string[]): Promise<void> {
    this.#mustBeOpen()
    for (const id of ids) {
      const row = this.#tables.outbox.get(Number(id))
      if (row === undefined) continue
      this.#tables.outbox.delete(row.seq)
      this.#tables.published.set(row.seq, { ...row, at: this.#clock.now() })
    }
  }

  async recent(lanes: readonly number[], ageMs: number): Promise<readonly LoggedEvent[]> {
    this.#mustBeOpen()
    const since = this.#clock.now() - ageMs
    const rows = [...this.#tables.published.values()].filter(
      ({ lane, at }) => at > since && this.#held.has(lane) && lanes.includes(lane)
    )
    return firstOf(rows, rows.length)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#open = false
    for (const lane of this.#held) this.#holds.delete(lane)
    this.#held.clear()
  }

  #mustBeOpen(): void {
    if (!this.#open) throw new Problem('unavailable', 'The lanes were given back.')
  }
}

function firstOf(rows: readonly OutboxRow[], limit: number): LoggedEvent[] {
  return rows
    .toSorted((a, b) => a.seq - b.seq)
    .slice(0, limit)
    .map(({ seq, lane, event }) => ({ id: String(seq), lane, event }))
}

export function outbox(context: Context): OutboxStore {
  const { tables, transactions, clock } = context
  const holds: Holds = new Set()
  return {
    ...deadEvents(context),
    openLanes: async () => new MemoryLanes(context, holds),

    async republish(ageMs) {
      const young = [...tables.published.values()].filter(({ at }) => at > clock.now() - ageMs)
      for (const { at: _, ...row } of young) {
        tables.published.delete(row.seq)
        tables.outbox.set(row.seq, row)
      }
      if (young.length > 0) transactions.wake()
      return young.length
    },

    outboxPending: async () => tables.outbox.size,
    keptForCapture: async () => null,
    outboxMark: async () => '',
    isRelayed: async () => tables.outbox.size === 0,
    onOutbox: listener => transactions.onOutbox(listener)
  }
}
