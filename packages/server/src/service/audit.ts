import type { AdminApi, UserId } from '@fanwise/sdk'
import { sampleOnce } from '../audit/sample.ts'
import { verifyReader } from '../audit/verify.ts'
import type { VerifyContext } from '../audit/verify-context.ts'
import { Problem } from '../domain/errors.ts'
import { DAY_MS } from '../domain/limits.ts'
import { END } from '../domain/post-id.ts'
import { unknownUser } from '../domain/unknown.ts'
import { GateFullError } from '../lib/gate.ts'
import { createPager } from '../page/page.ts'
import type { ListKey } from '../ports/feeds.ts'
import type { ServiceContext } from './context.ts'
import { type SettleContext, settle, settleEvents } from './settle.ts'

const SETTLE_MS = 10_000
/** How long it is taken to be true that events are worked off. */
const DRAINED_MS = 30_000
const SEEN_MS = 30 * DAY_MS
const SAMPLE = 100

export interface AuditContext extends ServiceContext, SettleContext {
  readonly store: ServiceContext['store']
  readonly clock: ServiceContext['clock']
  readonly build: (list: ListKey) => Promise<unknown>
  readonly mode: string
  readonly roles: readonly string[]
}

/**
 * Waits for all events and tells how many are left. Readers are verified by the thousand: where events did not drain
 * just now, the next ones only look.
 */
function settleForAll(context: AuditContext): VerifyContext['settle'] {
  const { store, log, clock } = context
  let failed = -Infinity
  return async timeoutMs => {
    const justNow = clock.monotonic() - failed < timeoutMs
    if (await settleEvents(context, justNow ? 0 : timeoutMs)) return 0
    if (!justNow) failed = clock.monotonic()
    const [opened, stored, logged] = await Promise.all([
      store.openedPending(),
      store.outboxPending(),
      log.pending().catch(() => 1)
    ])
    return Math.max(1, opened + stored + logged)
  }
}

/** Waits at most now and then, for all who ask at a time. */
function seldom(
  { clock, limits }: Pick<AuditContext, 'clock' | 'limits'>,
  settle: VerifyContext['settle']
): VerifyContext['pending'] {
  let drainedAt = -Infinity
  let asking: Promise<number> | null = null
  const ask = async () => {
    try {
      const left = await settle(limits.settleMs)
      if (left === 0) drainedAt = clock.monotonic()
      return left
    } finally {
      asking = null
    }
  }
  return async () => {
    if (clock.monotonic() - drainedAt < DRAINED_MS) return 0
    asking ??= ask()
    return asking
  }
}

/** A queue of builders that is full passes. @throws Problem unavailable */
function buildOrSay(build: AuditContext['build']): AuditContext['build'] {
  return async list => {
    try {
      return await build(list)
    } catch (cause) {
      if (!(cause instanceof GateFullError)) throw cause
      throw new Problem('unavailable', 'Too many feeds wait to be built.', {}, { cause })
    }
  }
}

type AuditApi = Pick<AdminApi, 'verify' | 'sampleReaders' | 'rebuild' | 'settle' | 'stats'>

export interface Audit extends AuditApi {
  /** Compares the feeds of a few readers and drops those that are wrong: a round of the janitor. */
  sample(): Promise<number>
}

function verifyContext(context: AuditContext): VerifyContext {
  const { store, feeds, limits, clock } = context
  const settle = settleForAll(context)
  return {
    store,
    feeds,
    limits,
    // The pager of readers would settle and build the very lists that are judged.
    pager: createPager({ ...context, requestBuild() {}, requestSettle() {} }),
    build: buildOrSay(context.build),
    settle,
    pending: seldom({ clock, limits }, settle)
  }
}

/** Looking after feeds: compare, make anew, wait, count. */
export function createAudit(context: AuditContext): Audit {
  const { store, feeds, limits, clock, telemetry } = context
  const started = clock.monotonic()
  const verifying = verifyContext(context)
  async function numberOf(id: UserId): Promise<number> {
    const user = (await context.directory.findMany([id])).get(id)
    if (user === undefined || user.status === 'gone') throw unknownUser(id)
    return user.number
  }
  return {
    verify: async (reader, query) => verifyReader(verifying, await numberOf(reader), query),
    sample: () => sampleOnce({ ...verifying, store, telemetry }),
    async sampleReaders(limit = SAMPLE) {
      const users = await store.usersByNumbers(await store.sampleReaders(SEEN_MS, limit))
      return users.map(({ id }) => id)
    },
    async rebuild(reader) {
      const list: ListKey = `feed:${await numberOf(reader)}`
      await feeds.drop([list])
      await verifying.build(list)
      const { ids } = await feeds.take(list, END, limits.cap)
      return { ids: ids.length }
    },
    settle: (timeoutMs = SETTLE_MS) => settle(context, timeoutMs),
    async stats() {
      const [stored, warm] = await Promise.all([store.stats(), feeds.stats()])
      const { mode, roles } = context
      return {
        ...stored,
        feeds: warm,
        uptimeMs: clock.monotonic() - started,
        mode,
        roles,
        limits: { ...limits }
      }
    }
  }
}
