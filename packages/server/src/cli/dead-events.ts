import type { AdminApi, DeadEvent } from '@fanwise/sdk'

const PAGE = 100
/** Time for what is retried to be worked off. */
const SETTLE_MS = 30_000

type DeadAdmin = Pick<AdminApi, 'deadEvents' | 'retryDead' | 'dropDead' | 'settle'>

export interface DeadList {
  readonly events: readonly DeadEvent[]
  /** There are more than were asked for. */
  readonly more: boolean
}

/** Up to `limit` events that were given up, the oldest first. */
export async function listDead(admin: DeadAdmin, limit: number): Promise<DeadList> {
  const events: DeadEvent[] = []
  for (let cursor: string | undefined; ; ) {
    const size = Math.min(PAGE, limit - events.length)
    const page = await admin.deadEvents({ limit: size, ...(cursor !== undefined && { cursor }) })
    events.push(...page.items)
    if (page.nextCursor === null) return { events, more: false }
    if (events.length >= limit) return { events, more: true }
    cursor = page.nextCursor
  }
}

/** All, or those that are named, as they stand now: one that fails again meanwhile is not met twice. */
export async function chooseDead(
  admin: DeadAdmin,
  ids: readonly string[],
  all: boolean
): Promise<readonly DeadEvent[]> {
  if (all === ids.length > 0) throw new Error('Say which: ids of `fanwise dead list`, or --all.')
  const { events } = await listDead(admin, Number.MAX_SAFE_INTEGER)
  if (all) return events
  const found = events.filter(({ id }) => ids.includes(id))
  const missing = ids.filter(id => !found.some(event => event.id === id))
  if (missing.length === 0) return found
  throw new Error(
    `There is no event ${missing.join(', ')} among those that were given up: ` +
      '`fanwise dead list` has them. One that failed again has another id.'
  )
}

export interface Retried {
  readonly retried: number
  /** Those that were given up once more. */
  readonly again: readonly DeadEvent[]
  /** False: some are not worked off yet. */
  readonly settled: boolean
}

/** Has events published once more, in their order, and waits until they are worked off. */
export async function retryDead(admin: DeadAdmin, events: readonly DeadEvent[]): Promise<Retried> {
  const before = await listDead(admin, Number.MAX_SAFE_INTEGER)
  const known = new Set(before.events.map(({ id }) => id))
  for (const { id } of events) await admin.retryDead(id)
  const settled = await admin.settle(SETTLE_MS)
  const after = await listDead(admin, Number.MAX_SAFE_INTEGER)
  const again = after.events.filter(({ id, attempts }) => attempts > 1 && !known.has(id))
  return { retried: events.length, again, settled }
}

/** What an event was about. */
export function aboutDead({ type, user, post, reader }: DeadEvent): string {
  const who = user ?? 'nobody known'
  if (type === 'relation') return `whether ${reader ?? 'nobody known'} follows ${who}`
  if (type === 'rules') return `what ${who} wants to see`
  return type === 'user' ? `profile or status of ${who}` : `${post ?? 'no post'} of ${who}`
}
