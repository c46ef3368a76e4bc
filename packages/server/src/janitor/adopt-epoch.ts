import type { Feeds } from '../ports/feeds.ts'
import type { UpkeepStore } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'

export interface EpochContext {
  readonly store: Pick<UpkeepStore, 'epoch'>
  readonly feeds: Pick<Feeds, 'adopt'>
  readonly telemetry: Telemetry
}

/** Everything derived is made anew after the epoch was raised: by a restore of the Store, or by events that were lost. */
export async function adoptEpoch({ store, feeds, telemetry }: EpochContext): Promise<number> {
  const epoch = await store.epoch()
  if (!(await feeds.adopt(epoch))) return 0
  telemetry.log('warn', 'all feeds are made anew: the epoch was raised', { epoch })
  return 0
}
