import type { Role } from './config.ts'
import type { Limits } from './domain/limits.ts'
import type { Ledger } from './fanout/ledger.ts'
import { openFanout } from './fanout/open-fanout.ts'
import { policyOnce } from './fanout/policy.ts'
import { createSwitches } from './fanout/switches.ts'
import type { Ports } from './feed.ts'
import { janitorTasks } from './janitor/janitor.ts'
import type { Seen } from './janitor/seen.ts'
import { type Loop, loop } from './lib/loop.ts'
import { createRelay } from './relay/relay.ts'

export interface RoleContext extends Ports {
  readonly limits: Limits
  readonly seen: Seen
  /** Compares the feeds of a few readers and drops those that are wrong. */
  readonly sample: () => Promise<number>
  /** Names this process in what it records. */
  readonly worker: string
  readonly ledger?: Ledger
}

const RETRY_MS = 1000
const POLL_MS = 500
const POLICY_MS = 1000
const SAMPLE_MS = 60_000

/** What a role runs until it is disposed. `api` has no loop: it answers requests. */
export const ROLE_LOOPS: Record<
  Role,
  (context: RoleContext) => Promise<readonly AsyncDisposable[]>
> = {
  api: async () => [],
  relay: async context => {
    const relay = createRelay(context, { onFree: () => relaying.wake() })
    const relaying = every(context, 'relay', POLL_MS, () => relay.relayOnce())
    context.store.onOutbox(() => relaying.wake())
    return [relay, relaying]
  },
  fanout: async context => {
    await context.log.consume(openFanout(context))
    const switches = createSwitches(context)
    return [
      every(context, 'policy', POLICY_MS, () => policyOnce(context)),
      every(context, 'switches', POLICY_MS, () => switches.confirmOnce())
    ]
  },
  janitor: async context => [
    ...janitorTasks(context).map(({ name, periodMs, once }) =>
      every(context, name, periodMs, once)
    ),
    every(context, 'sample_feeds', SAMPLE_MS, context.sample)
  ]
}

function every(
  context: RoleContext,
  name: string,
  idleMs: number,
  once: () => Promise<number>
): Loop {
  const { clock, telemetry } = context
  return loop({
    once,
    clock,
    idleMs,
    retryMs: RETRY_MS,
    onError: error => {
      telemetry.count('loop_failures_total', 1, { loop: name })
      telemetry.log('warn', `${name} failed and is tried again`, { error })
    }
  })
}
