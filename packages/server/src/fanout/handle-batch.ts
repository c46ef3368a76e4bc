import type { LoggedEvent } from '../domain/event.ts'
import type { Delivery } from '../domain/user.ts'
import type { BatchRecord } from './batch-record.ts'
import { dropBacklog } from './drop-backlog.ts'
import { type FanoutContext, WIDTH } from './fanout-context.ts'
import { inTurns } from './in-turns.ts'
import { lookAgain } from './look-again.ts'
import { deliveriesOf, pulledOf } from './pulled-authors.ts'
import { pushPosts } from './push-posts.ts'
import { removePosts } from './remove-posts.ts'
import { sortBatch, type Work } from './sort-batch.ts'
import { stoppable } from './stoppable.ts'

/**
 * Does the work of one batch of a lane's events; doing it again changes nothing. It is sorted by kind and not by event:
 * posts, then relations, then deletes keeps the order that matters for one author. Followers are read after every
 * follow of the batch was committed, so no follower of a post is missed; a cut is stamped as seen only when no push
 * that knew the follower is on its way; and what a delete removes has been pushed before.
 * @throws Problem unavailable when `signal` aborts: the lane belongs to another worker.
 */
export async function handleBatch(
  context: FanoutContext,
  events: readonly LoggedEvent[],
  signal: AbortSignal
): Promise<void> {
  signal.throwIfAborted()
  const record = context.records(events)
  try {
    await workOff(context, sortBatch(events, context.clock.now()), record, signal)
    record.close()
  } catch (error) {
    record.fail()
    throw error
  }
}

async function workOff(
  context: FanoutContext,
  work: Work,
  record: BatchRecord,
  signal: AbortSignal
): Promise<void> {
  await forget(context, work)
  const deliveries = await deliveriesIn(context, work)
  const pulled = pulledOf(deliveries)
  const fans = [
    ...(await pushPosts(context, work.posts, deliveries, record)),
    ...(await dropBacklog(context, work.backlog, pulled))
  ]
  await inTurns(stoppable(fans, signal), WIDTH)
  for (const [author, ids] of work.oldPosts)
    record.whole(ids, deliveries.get(author) ?? 'push', 'backlog')
  signal.throwIfAborted()
  await lookAgain(context, work.relations)
  await inTurns(stoppable(removePosts(context, work.deletes, pulled), signal), WIDTH)
}

async function forget({ feeds }: FanoutContext, work: Work): Promise<void> {
  const { changedPosts, changedUsers, rules } = work
  if (rules.size > 0) await feeds.dropRules([...rules])
  if (changedPosts.size + changedUsers.size > 0)
    await feeds.announce({ posts: [...changedPosts], users: [...changedUsers] })
}

/**
 * How the authors' posts reach feeds. It is asked anew for each batch, after its posts were stored: a switch down that
 * comes later keeps a pull_until above them, so they are still merged.
 */
function deliveriesIn({ store }: FanoutContext, work: Work): Promise<Map<number, Delivery>> {
  const authors = new Set([...work.posts.keys(), ...work.backlog, ...work.deletes.keys()])
  return deliveriesOf(store, [...authors])
}
