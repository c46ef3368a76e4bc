import type { FeedEvent, LoggedEvent } from '../domain/event.ts'
import { isTransient } from '../domain/is-transient.ts'
import { dropBacklog } from './drop-backlog.ts'
import type { FanoutContext } from './fanout-context.ts'
import { inTurns } from './in-turns.ts'
import { pulledAuthors } from './pulled-authors.ts'
import { stoppable } from './stoppable.ts'

/**
 * Sets an event aside. What it would have changed is dropped before: a warm list that lacks a post would claim for good
 * to be complete, while a cold one is built from the Store. Only when that cannot be done either, lists are left wrong.
 * @throws what is transient; nothing is set aside then.
 */
export async function giveUp(
  context: FanoutContext,
  event: LoggedEvent,
  error: unknown,
  signal: AbortSignal
): Promise<void> {
  const { store, telemetry } = context
  let reason = error instanceof Error ? error.message : String(error)
  try {
    await dropReached(context, event.event, signal)
  } catch (failure) {
    if (isTransient(failure)) throw failure
    reason += ' (lists may lack what it should have brought: retry it, or rebuild them)'
    telemetry.count('fanout_holes')
    telemetry.log('error', 'lists may lack what an event should have brought; rebuild them', {
      event,
      error: failure
    })
  }
  await store.bury(event, reason)
  telemetry.count('fanout_buried')
  telemetry.log('error', 'an event is given up', { event, error })
}

/** Nothing for what names no user or has no known type: it reached nobody. */
async function dropReached(
  context: FanoutContext,
  event: FeedEvent,
  signal: AbortSignal
): Promise<void> {
  const { feeds } = context
  if (event.type === 'post') await dropAuthor(context, event.author, signal)
  else if (event.type === 'relation') {
    await feeds.drop([`feed:${event.reader}`])
    await feeds.dropRules([event.reader])
  } else if (event.type === 'rules') await feeds.dropRules([event.reader])
  else if (event.type === 'user') await feeds.announce({ users: [event.author] })
  else if (event.type === 'edit' || event.type === 'delete')
    await feeds.announce({ posts: [event.post] })
}

async function dropAuthor(
  context: FanoutContext,
  author: number,
  signal: AbortSignal
): Promise<void> {
  if (!Number.isSafeInteger(author)) return
  const turns = await dropBacklog(context, new Set([author]), await pulledOrNot(context, author))
  await inTurns(stoppable(turns, signal), 1)
}

/** An author whose delivery cannot be told has all followers' feeds dropped. */
async function pulledOrNot({ store }: FanoutContext, author: number): Promise<Set<number>> {
  try {
    return await pulledAuthors(store, [author])
  } catch (error) {
    if (isTransient(error)) throw error
    return new Set()
  }
}
