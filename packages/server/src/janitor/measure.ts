import type { Feeds } from '../ports/feeds.ts'
import type { UpkeepStore } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'

export interface MeasureContext {
  readonly store: Pick<UpkeepStore, 'stats'>
  readonly feeds: Pick<Feeds, 'stats'>
  readonly telemetry: Telemetry
}

/** Sets the gauges of what waits, what was given up, and what is warm. */
export async function measure({ store, feeds, telemetry }: MeasureContext): Promise<number> {
  const [{ outboxPending, outboxDead }, { warm, bytes }] = await Promise.all([
    store.stats(),
    feeds.stats()
  ])
  telemetry.gauge('outbox_pending', outboxPending)
  telemetry.gauge('outbox_dead', outboxDead)
  telemetry.gauge('feeds_warm', warm)
  telemetry.gauge('feeds_bytes', bytes)
  return 0
}
