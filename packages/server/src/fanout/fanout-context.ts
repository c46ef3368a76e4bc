import type { LoggedEvent } from '../domain/event.ts'
import type { Limits } from '../domain/limits.ts'
import type { Clock } from '../ports/clock.ts'
import type { Feeds } from '../ports/feeds.ts'
import type { DeliveryStore, OutboxStore, RelationStore } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import type { BackfillManyContext } from '../rebuild/backfill-many.ts'
import type { BatchRecord } from './batch-record.ts'

/** What handling events needs; each function names the part that it uses. */
export interface FanoutContext extends BackfillManyContext {
  readonly store: BackfillManyContext['store'] &
    Pick<RelationStore, 'follows' | 'followerSlice' | 'stampCuts'> &
    Pick<DeliveryStore, 'deliveryOf'> &
    Pick<OutboxStore, 'bury'>
  readonly feeds: BackfillManyContext['feeds'] &
    Pick<Feeds, 'push' | 'drop' | 'remove' | 'dropRules' | 'announce'>
  readonly clock: Pick<Clock, 'now' | 'sleep' | 'random'>
  readonly limits: Limits
  readonly telemetry: Telemetry
  /** Begins the record of a batch. */
  readonly records: (events: readonly LoggedEvent[]) => BatchRecord
}

/** Authors of one batch that are worked on at the same time. */
export const WIDTH = 8
