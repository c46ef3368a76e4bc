import { LruMap } from '../lib/lru-map.ts'
import type { Clock } from '../ports/clock.ts'
import type { Feeds, ListKey } from '../ports/feeds.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { reachFeeds } from './reach.ts'

const PAUSE_MS = 10_000
const AT_ONCE = 4
const REMEMBERED = 50_000

/** Settles lists in the background: each at most once per 10 s, few at once. What is left out is asked for again. */
export function createSettler(context: {
  readonly feeds: Pick<Feeds, 'settle'>
  readonly clock: Clock
  readonly telemetry: Telemetry
}): (list: ListKey) => void {
  const { feeds, clock, telemetry } = context
  const last = new LruMap<ListKey, number>({ max: REMEMBERED })
  let running = 0
  async function settle(list: ListKey): Promise<void> {
    running++
    await reachFeeds(telemetry, () => feeds.settle(list))
    running--
  }
  return list => {
    const now = clock.monotonic()
    if (running >= AT_ONCE || now - (last.get(list) ?? -PAUSE_MS) < PAUSE_MS) return
    last.set(list, now)
    void settle(list)
  }
}
