import type { Limits } from '../domain/limits.ts'
import type { Clock } from '../ports/clock.ts'
import type { DeliveryState, DeliveryStore } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { type DropRulesContext, dropFollowerRules } from './drop-follower-rules.ts'

export interface SwitchContext extends DropRulesContext {
  readonly store: DropRulesContext['store'] & Pick<DeliveryStore, 'inBoth' | 'switchDelivery'>
  readonly clock: Pick<Clock, 'monotonic'>
  readonly limits: DropRulesContext['limits'] & Pick<Limits, 'graceMs'>
  readonly telemetry: Telemetry
}

export interface Switches {
  /** One look at all authors in `both`; returns how many steps were taken. */
  confirmOnce(): Promise<number>
}

/** Authors looked at in one round. */
const ROUND = 1000

/** A visit to `both` whose followers' rules were dropped: its version, and when that was done (monotonic ms). */
interface Dropped {
  readonly version: number
  readonly at: number
}

/**
 * The second phase of the switch up. An author in `both` is pushed until every reader surely merges the timeline: the
 * rules of all followers are dropped, then longer than any page and any cache lives passes, then a compare-and-set on
 * the version that was seen ends pushing. What is remembered lives in memory alone: a process that finds `both` and
 * knows nothing of this version starts over.
 */
export function createSwitches(context: SwitchContext): Switches {
  const { store, telemetry } = context
  const dropped = new Map<number, Dropped>()
  return {
    async confirmOnce() {
      const states = await store.inBoth(ROUND)
      if (states.length < ROUND) forgetOthers(dropped, states)
      let steps = 0
      for (const state of states) {
        try {
          if (await step(context, dropped, state)) steps++
        } catch (error) {
          telemetry.log('warn', 'a delivery switch is delayed', { ...state, error })
        }
      }
      return steps
    }
  }
}

async function step(
  context: SwitchContext,
  dropped: Map<number, Dropped>,
  state: DeliveryState
): Promise<boolean> {
  const { store, clock, limits, telemetry } = context
  const { author, version } = state
  const seen = dropped.get(author)
  if (seen?.version !== version) {
    await dropFollowerRules(context, author)
    dropped.set(author, { version, at: clock.monotonic() })
    return true
  }
  if (clock.monotonic() - seen.at < limits.graceMs) return false
  const won = await store.switchDelivery(state, 'pull')
  dropped.delete(author)
  if (won) telemetry.count('delivery_switches', 1, { to: 'pull' })
  return won
}

function forgetOthers(dropped: Map<number, Dropped>, states: readonly DeliveryState[]): void {
  const present = new Set(states.map(({ author }) => author))
  for (const author of dropped.keys()) if (!present.has(author)) dropped.delete(author)
}
