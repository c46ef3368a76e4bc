import { END } from '../domain/post-id.ts'
import { isMerged } from '../domain/rules.ts'
import type { ListKey } from '../ports/feeds.ts'
import { floorOf, type VerifyContext } from './verify-context.ts'

/** Builds the reader's feed, and the timelines that are merged into it, as far as they are cold. */
export async function warmUp(context: VerifyContext, reader: number): Promise<void> {
  const feed: ListKey = `feed:${reader}`
  if ((await floorOf(context, feed)) === null) await context.build(feed)
  const floor = await floorOf(context, feed)
  if (floor === null) return
  const { pulled } = await context.store.rules(reader)
  for (const [author, until] of pulled) {
    const timeline: ListKey = `timeline:${author}`
    if (!isMerged(until, floor)) continue
    if ((await context.feeds.take(timeline, END, 1)).state === 'cold') await context.build(timeline)
  }
}
