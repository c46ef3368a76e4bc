import type { Clock } from '../ports/clock.ts'
import type { LedgerRow, LedgerStore } from '../ports/ledger.ts'
import type { Telemetry } from '../ports/telemetry.ts'

/** Rows of one statement, and what may wait for it: a row counts as one, and each follower in it as one. */
const ROWS_MAX = 1000
const WEIGHT_MAX = 500_000

export interface Ledger {
  /** Appends in the background. */
  write(rows: readonly LedgerRow[]): void
  /** Resolves when nothing is left to append. */
  idle(): Promise<void>
}

/**
 * Records what was done, behind the back of fan-out, which never waits for it: what comes while a statement runs goes
 * with the next one. Rows that can't be stored, or that are too many, are counted and lost.
 */
export function createLedger(context: {
  readonly store: Pick<LedgerStore, 'record'>
  readonly telemetry: Telemetry
}): Ledger {
  let waiting: LedgerRow[] = []
  let weight = 0
  let running: Promise<void> | undefined
  function lose(rows: number, error?: unknown): void {
    const { telemetry } = context
    telemetry.count('ledger_rows_lost', rows)
    if (error !== undefined) telemetry.log('warn', 'records of fan-out are lost', { rows, error })
  }
  async function run(): Promise<void> {
    // Batches of other lanes that end in the same moment go along.
    await Promise.resolve()
    while (waiting.length > 0) {
      const rows = waiting.slice(0, ROWS_MAX)
      waiting = waiting.slice(ROWS_MAX)
      weight -= weightOf(rows)
      await context.store.record(rows).catch(error => lose(rows.length, error))
    }
    running = undefined
  }
  return {
    write(rows) {
      if (rows.length === 0) return
      const more = weightOf(rows)
      if (weight > 0 && weight + more > WEIGHT_MAX) return lose(rows.length)
      waiting.push(...rows)
      weight += more
      running ??= run()
    },
    idle: async () => running
  }
}

/** What a process that stops waits for its last rows: records are not worth one that does not end. */
const LAST_MS = 3000

/** Resolves when nothing is left to append, or after 3 s. To be called when nobody writes any more. */
export async function drainLedger(
  ledger: Pick<Ledger, 'idle'>,
  clock: Pick<Clock, 'sleep'>
): Promise<void> {
  const stop = new AbortController()
  await Promise.race([ledger.idle(), clock.sleep(LAST_MS, stop.signal)])
  stop.abort()
}

export function weightOf(rows: readonly LedgerRow[]): number {
  return rows.reduce((sum, { took }) => sum + 1 + took.length, 0)
}
