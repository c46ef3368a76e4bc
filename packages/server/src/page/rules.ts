import type { Rules } from '../domain/rules.ts'
import type { Feeds } from '../ports/feeds.ts'
import type { Store } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { reachFeeds, reachStore } from './reach.ts'

export interface RulesContext {
  readonly store: Pick<Store, 'rules'>
  readonly feeds: Pick<Feeds, 'rules' | 'fillRules'>
  readonly telemetry: Telemetry
}

/**
 * The reader's rules, cached in Feeds. The lease makes it safe: whoever changes a rule voids it after the commit, so
 * that rules loaded before the change are not kept. `fresh` leaves out what is cached. @throws Problem unavailable
 */
export async function readRules(
  context: RulesContext,
  reader: number,
  fresh = false
): Promise<Rules> {
  const { store, feeds, telemetry } = context
  if (fresh) return reachStore(() => store.rules(reader))
  const cached = await reachFeeds(telemetry, () => feeds.rules(reader))
  if (cached !== null && 'rules' in cached) return cached.rules
  const rules = await reachStore(() => store.rules(reader))
  const lease = cached?.lease ?? null
  if (lease !== null) await reachFeeds(telemetry, () => feeds.fillRules(reader, lease, rules))
  return rules
}
