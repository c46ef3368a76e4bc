import type { Feeds } from '../ports/feeds.ts'
import type { LikeStore, RequestStore, UpkeepStore } from '../ports/store.ts'
import { adoptEpoch, type EpochContext } from './adopt-epoch.ts'
import { type CutsContext, cleanCuts } from './clean-cuts.ts'
import { type MeasureContext, measure } from './measure.ts'
import { createRecount, type RecountContext } from './recount.ts'
import { flushSeen, type SeenContext } from './seen.ts'

export interface JanitorContext extends CutsContext, SeenContext, MeasureContext, EpochContext {
  readonly store: CutsContext['store'] &
    SeenContext['store'] &
    MeasureContext['store'] &
    EpochContext['store'] &
    Pick<LikeStore, 'flushCounts'> &
    RecountContext['store'] &
    Pick<RequestStore, 'acceptOpened'> &
    Pick<UpkeepStore, 'expire' | 'cleanGone'>
  readonly feeds: CutsContext['feeds'] &
    MeasureContext['feeds'] &
    EpochContext['feeds'] &
    Pick<Feeds, 'expire'>
}

export interface JanitorTask {
  readonly name: string
  /** Pause between rounds, in ms. */
  readonly periodMs: number
  /** One round. Returns how much it did if there is more to do at once, else 0. */
  readonly once: () => Promise<number>
}

const COUNTS_MAX = 10_000
const CUTS_MAX = 200
const GONE_MAX = 1000
const OPENED_MAX = 200
const SEEN_MAX = 1000
const EXPIRED_MAX = 10_000
const RECOUNT_MAX = 1000

/** What repairs and forgets. Each task is on its own: one that fails or is slow holds up no other. */
export function janitorTasks(context: JanitorContext): readonly JanitorTask[] {
  const { store, feeds } = context
  return [
    task('flush_counts', 1000, COUNTS_MAX, () => store.flushCounts(COUNTS_MAX)),
    task('flush_seen', 10_000, SEEN_MAX, () => flushSeen(context, SEEN_MAX)),
    task('clean_cuts', 10_000, CUTS_MAX, () => cleanCuts(context, CUTS_MAX)),
    task('clean_gone', 10_000, 1, () => store.cleanGone(GONE_MAX)),
    task(
      'accept_opened',
      1000,
      OPENED_MAX,
      async () => (await store.acceptOpened(OPENED_MAX)).length
    ),
    task('adopt_epoch', 5000, Number.POSITIVE_INFINITY, () => adoptEpoch(context)),
    task('measure', 15_000, Number.POSITIVE_INFINITY, () => measure(context)),
    task('expire_feeds', 10_000, Number.POSITIVE_INFINITY, () => feeds.expire()),
    task('expire_store', 3_600_000, EXPIRED_MAX, () => store.expire(EXPIRED_MAX)),
    task('recount', 5000, Number.POSITIVE_INFINITY, createRecount(context, RECOUNT_MAX))
  ]
}

/** A round that did less than `full` has left nothing: the next one comes after the period. */
function task(
  name: string,
  periodMs: number,
  full: number,
  run: () => Promise<number>
): JanitorTask {
  return {
    name,
    periodMs,
    async once() {
      const done = await run()
      return done >= full ? done : 0
    }
  }
}

/** Every task once, one after the other; returns how much was done where there is more to do. */
export async function janitorOnce(context: JanitorContext): Promise<number> {
  let more = 0
  for (const { once } of janitorTasks(context)) more += await once()
  return more
}
