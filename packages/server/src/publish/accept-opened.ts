import type { Feeds } from '../ports/feeds.ts'
import type { RequestStore } from '../ports/store.ts'
import { type BackfillManyContext, backfillMany } from '../rebuild/backfill-many.ts'

/** Requests that an answer waits for. */
const AT_ONCE = 100

export interface OpenedContext extends BackfillManyContext {
  readonly store: BackfillManyContext['store'] & Pick<RequestStore, 'acceptOpened'>
  readonly feeds: BackfillManyContext['feeds'] & Pick<Feeds, 'dropRules'>
}

/** Accepts requests that an account had when it turned public, as many as an answer may wait for. */
export async function acceptOpened(context: OpenedContext, author: number): Promise<void> {
  const added = await context.store.acceptOpened(AT_ONCE, author)
  if (added.length === 0) return
  await context.feeds.dropRules(added.map(({ reader }) => reader))
  await backfillMany(context, added)
}
