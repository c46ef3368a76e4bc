import { demoteBelow, type Limits, WINDOW_MS } from '../domain/limits.ts'
import { boundAt } from '../domain/post-id.ts'
import type { Delivery } from '../domain/user.ts'
import type { Clock } from '../ports/clock.ts'
import type { DeliveryState, DeliveryStore } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { type DropRulesContext, dropFollowerRules } from './drop-follower-rules.ts'

type PolicyLimits = Pick<Limits, 'delivery' | 'threshold'>

/** More followers than anybody can have; fits PostgreSQL's integer. */
const NOBODY = 2 ** 31 - 1

/** From `pullFrom` followers an author is pulled; with fewer than `pushBelow` pushed; in between nothing changes. */
export function crossings(limits: PolicyLimits): { pullFrom: number; pushBelow: number } {
  const pullFrom = { push: NOBODY, pull: 0, hybrid: limits.threshold }[limits.delivery]
  return { pullFrom, pushBelow: demoteBelow(pullFrom) }
}

/** Where delivery has to go next; null when it stays. The step from `both` to `pull` is that of confirmOnce. */
export function wantedDelivery(
  delivery: Delivery,
  followers: number,
  limits: PolicyLimits
): 'both' | 'push' | null {
  const { pullFrom, pushBelow } = crossings(limits)
  if (delivery === 'push') return followers >= pullFrom ? 'both' : null
  return followers < pushBelow ? 'push' : null
}

export interface PolicyContext extends DropRulesContext {
  readonly store: DropRulesContext['store'] &
    Pick<DeliveryStore, 'deliveryCrossings' | 'switchDelivery'>
  readonly clock: Pick<Clock, 'now'>
  readonly limits: DropRulesContext['limits'] & PolicyLimits
  readonly telemetry: Telemetry
}

/** Authors looked at in one round. */
const ROUND = 1000

/**
 * Switches authors whose follower count has crossed a threshold: up to `both`, where posts are pushed and merged; down
 * to `push`. Any number of processes may run it: a switch is a compare-and-set on the version that was read, else a
 * slow process would undo a later switch. Returns how many it switched.
 */
export async function policyOnce(context: PolicyContext): Promise<number> {
  const { store, limits } = context
  const { pullFrom, pushBelow } = crossings(limits)
  const states = await store.deliveryCrossings(pullFrom, pushBelow, ROUND)
  let switched = 0
  for (const state of states) {
    const won =
      state.delivery === 'push' ? await switchUp(context, state) : await switchDown(context, state)
    if (won) switched++
  }
  return switched
}

async function switchUp(
  { store, telemetry }: PolicyContext,
  from: DeliveryState
): Promise<boolean> {
  const won = await store.switchDelivery(from, 'both')
  if (won) telemetry.count('delivery_switches', 1, { to: 'both' })
  return won
}

/**
 * Pushing starts with the next batch of events, so what was stored until now may be missing from feeds: `pull_until`
 * lies a window ahead, above every id that a worker can have met in `pull`. Cached rules say "pulled without an end",
 * which merges more than needed and never less; that is why they are dropped after the switch here, and why a failure
 * of it costs no post. On the way up rules that lack the author would leave holes: there they are dropped first.
 */
async function switchDown(context: PolicyContext, from: DeliveryState): Promise<boolean> {
  const { store, clock, telemetry } = context
  const won = await store.switchDelivery(from, 'push', boundAt(clock.now() + WINDOW_MS))
  if (!won) return false
  telemetry.count('delivery_switches', 1, { to: 'push' })
  try {
    await dropFollowerRules(context, from.author)
  } catch (error) {
    telemetry.log('warn', 'followers merge an author longer than needed', { ...from, error })
  }
  return true
}
