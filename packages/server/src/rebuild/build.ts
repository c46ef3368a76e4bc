import type { Limits } from '../domain/limits.ts'
import { BEGINNING, END, type PostId } from '../domain/post-id.ts'
import type { Clock } from '../ports/clock.ts'
import type { Feeds, ListKey } from '../ports/feeds.ts'
import type { PostStore } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'

export interface BuildContext {
  readonly store: Pick<PostStore, 'homeIds' | 'idsByAuthor'>
  readonly feeds: Pick<Feeds, 'begin' | 'finish'>
  readonly clock: Pick<Clock, 'random' | 'monotonic'>
  readonly limits: Pick<Limits, 'cap'>
  readonly telemetry: Telemetry
}

/** `busy`: it is warm, or somebody else builds it. `lost`: it was dropped or taken over meanwhile. */
export type Built = 'built' | 'busy' | 'lost'

/** Fills a cold feed from the Store. Rejects when a dependency fails; the feed stays cold then. */
export function buildFeed(context: BuildContext, reader: number): Promise<Built> {
  return build(context, `feed:${reader}`, limit =>
    context.store.homeIds(reader, END, limit, 'kept')
  )
}

/** Fills a cold timeline from the Store. Rejects when a dependency fails; the timeline stays cold then. */
export function buildTimeline(context: BuildContext, author: number): Promise<Built> {
  return build(context, `timeline:${author}`, limit =>
    context.store.idsByAuthor(author, END, BEGINNING, limit, 'kept')
  )
}

/**
 * The list begins before the Store is read, so that what is pushed meanwhile lands. When the read fails, the list is
 * left to its short life: until that is over nobody tries again, which spares a Store in trouble.
 */
async function build(
  context: BuildContext,
  list: ListKey,
  read: (limit: number) => Promise<readonly PostId[]>
): Promise<Built> {
  const { feeds, clock, limits, telemetry } = context
  const token = freshToken(clock)
  const start = clock.monotonic()
  if (!(await feeds.begin(list, token))) return 'busy'
  const ids = await read(limits.cap + 1)
  const done = await feeds.finish(list, token, ids, ids.length <= limits.cap)
  const result = done ? 'built' : 'lost'
  telemetry.observe('build_ms', clock.monotonic() - start, { result })
  return result
}

/** Two builders anywhere never share one: 104 bits of chance. */
function freshToken(clock: Pick<Clock, 'random'>): string {
  const part = () => Math.floor(clock.random() * 2 ** 52).toString(36)
  return `${part()}.${part()}`
}
