import type { Feeds } from '../ports/feeds.ts'
import type { OutboxStore, UpkeepStore } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'

export interface MeasureContext {
  readonly store: Pick<UpkeepStore, 'stats'> & Pick<OutboxStore, 'keptForCapture'>
  readonly feeds: Pick<Feeds, 'stats'>
  readonly telemetry: Telemetry
}

/** Sets the gauges of what waits, what is kept for who has not read it, what was given up, and what is warm. */
export async function measure({ store, feeds, telemetry }: MeasureContext): Promise<number> {
  const [{ outboxPending, outboxDead }, kept, { warm, bytes }] = await Promise.all([
    store.stats(),
    store.keptForCapture(),
    feeds.stats()
  ])
  telemetry.gauge('outbox_pending', outboxPending)
  telemetry.gauge('outbox_dead', outboxDead)
  if (kept !== null) telemetry.gauge('outbox_slot_bytes', kept)
  telemetry.gauge('feeds_warm', warm)
  telemetry.gauge('feeds_bytes', bytes)
  return 0
}
