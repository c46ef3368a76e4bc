import type { Relation } from '../ports/store.ts'
import { backfillMany } from '../rebuild/backfill-many.ts'
import type { FanoutContext } from './fanout-context.ts'

/**
 * A relation event says no more than "look": the follow is read again, so order, replay and retry cannot leave a feed
 * wrong. The backfill is done here too: the API process may have died, or a post may have been in the pipe when it ran.
 */
export async function lookAgain(
  context: FanoutContext,
  relations: readonly Relation[]
): Promise<void> {
  const { store, feeds } = context
  if (relations.length === 0) return
  const follows = await store.follows(relations)
  const ended = relations.filter((_, index) => !follows[index])
  if (ended.length > 0) await store.stampCuts(ended)
  await backfillMany(
    context,
    relations.filter((_, index) => follows[index])
  )
  await feeds.dropRules([...new Set(relations.map(({ reader }) => reader))])
}
