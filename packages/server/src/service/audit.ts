import type { AdminApi, UserId } from '@fanwise/sdk'
import { type VerifyContext, verifyReader } from '../audit/verify.ts'
import { END } from '../domain/post-id.ts'
import type { ListKey } from '../ports/feeds.ts'
import type { ServiceContext } from './context.ts'
import { unknownUser } from './directory.ts'
import { type SettleContext, settle } from './settle.ts'

const SETTLE_MS = 10_000

export interface AuditContext extends ServiceContext, SettleContext {
  readonly store: ServiceContext['store']
  readonly clock: ServiceContext['clock']
  readonly build: (list: ListKey) => Promise<unknown>
  readonly mode: string
  readonly roles: readonly string[]
}

/** Looking after feeds: compare, make anew, wait, count. */
export function createAudit(
  context: AuditContext
): Pick<AdminApi, 'verify' | 'rebuild' | 'settle' | 'stats'> {
  const { store, feeds, limits, pager, build, clock } = context
  const started = clock.monotonic()
  const verifying: VerifyContext = {
    store,
    feeds,
    limits,
    pager,
    build,
    settle: timeoutMs => settle(context, timeoutMs)
  }
  async function numberOf(id: UserId): Promise<number> {
    const user = (await context.directory.findMany([id])).get(id)
    if (user === undefined || user.status === 'gone') throw unknownUser(id)
    return user.number
  }
  return {
    verify: async reader => verifyReader(verifying, await numberOf(reader)),
    async rebuild(reader) {
      const list: ListKey = `feed:${await numberOf(reader)}`
      await feeds.drop([list])
      await build(list)
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
