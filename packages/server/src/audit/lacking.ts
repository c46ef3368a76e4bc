import type { LackingCode } from '@fanwise/sdk'
import type { Post } from '../domain/post.ts'
import type { EventLog } from '../ports/event-log.ts'
import type { LedgerStore } from '../ports/ledger.ts'
import type { Store } from '../ports/store.ts'
import type { Trail } from './fanout-trail.ts'

export interface LackingContext {
  readonly store: Pick<LedgerStore, 'relationEventOf'> & Pick<Store, 'outboxMark' | 'isRelayed'>
  readonly log: Pick<EventLog, 'pending'>
}

/** Why a list may not hold a post yet, or that it should. To be asked before the list is read. */
export async function lackingBy(
  context: LackingContext,
  { state }: Trail,
  reader: number,
  { author }: Post
): Promise<LackingCode> {
  if (state !== 'done' && state !== 'pulled' && state !== 'unrecorded') return state
  return (await relationWaits(context, reader, author)) ? 'waiting' : 'missing'
}

/** A follow brings earlier posts by a backfill, and who follows last is known to workers by its event. */
async function relationWaits(
  context: LackingContext,
  reader: number,
  author: number
): Promise<boolean> {
  const event = await context.store.relationEventOf(reader, author)
  return event === 'waiting' || (event === 'published' && (await isLeft(context)))
}

/** A log that keeps events by itself has them published before their work is done. */
async function isLeft({ store, log }: LackingContext): Promise<boolean> {
  if (!(await store.isRelayed(await store.outboxMark()))) return true
  return (await log.pending().catch(() => 1)) > 0
}
