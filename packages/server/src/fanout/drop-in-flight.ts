import { isTransient } from '../domain/is-transient.ts'
import { FLIGHT_MS } from '../domain/limits.ts'
import { isPostId, timeOf } from '../domain/post-id.ts'
import type { Takeover } from '../ports/event-log.ts'
import type { ListKey } from '../ports/feeds.ts'
import { dropBacklog } from './drop-backlog.ts'
import { type FanoutContext, WIDTH } from './fanout-context.ts'
import { inTurns } from './in-turns.ts'
import { pulledAuthors } from './pulled-authors.ts'
import { stoppable } from './stoppable.ts'

/**
 * Drops the lists that a dead predecessor may have written to too late: a push that was decided in time, stuck, and
 * landed over 10 s after leaves an old id in its in-time form. Younger posts can't have landed too late yet.
 * @throws what is transient. Other failures are reported: a lane that can't be taken over would stand still.
 */
export async function dropInFlight(
  context: FanoutContext,
  past: Takeover,
  signal: AbortSignal
): Promise<void> {
  try {
    await drop(context, past, signal)
  } catch (error) {
    if (signal.aborted || isTransient(error)) throw error
    context.telemetry.log('error', 'lists of a former worker could not be dropped', { error })
  }
}

async function drop(context: FanoutContext, past: Takeover, signal: AbortSignal): Promise<void> {
  const { store, feeds, telemetry } = context
  const { authors, readers } = reached(past, context.clock.now() - FLIGHT_MS)
  if (readers.size > 0) await feeds.drop([...readers].map((reader): ListKey => `feed:${reader}`))
  const turns = await dropBacklog(context, authors, await pulledAuthors(store, [...authors]))
  await inTurns(stoppable(turns, signal), WIDTH)
  telemetry.count('fanout_takeovers')
}

/** Authors of posts older than `before` (Unix ms), and readers whose relations changed. */
function reached(past: Takeover, before: number) {
  const authors = new Set<number>()
  const readers = new Set<number>()
  for (const { event } of [...past.done, ...past.ahead]) {
    if (event.type === 'relation') readers.add(event.reader)
    if (event.type !== 'post' || !isPostId(event.post)) continue
    if (timeOf(event.post) < before) authors.add(event.author)
  }
  return { authors, readers }
}
