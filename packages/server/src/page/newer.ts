import { END, type PostId } from '../domain/post-id.ts'
import type { Store } from '../ports/store.ts'
import { takeWarm } from './lists.ts'
import { reachStore } from './reach.ts'
import type { Ask, HomeReader, SkeletonContext, Stretch } from './skeleton.ts'
import { mergeTimelines } from './timelines.ts'

export interface NewerContext extends SkeletonContext {
  readonly store: SkeletonContext['store'] & Pick<Store, 'newerHomeIds'>
}

/** How far below its head a warm list is looked through for what lies above an id; deeper, the Store is quicker. */
const HEAD_IDS = 256

/** The reader's home feed upwards from `from`, oldest first. @throws Problem unavailable */
export async function newerSkeleton(
  context: NewerContext,
  reader: HomeReader,
  ask: Ask
): Promise<Stretch> {
  const { from, want } = ask
  const warm = await allNewer(context, reader, from)
  if (warm === null) return newerStoreSkeleton(context, reader.number, ask)
  const { ids, usedStore } = warm
  return {
    ids: ids.slice(0, want),
    exhausted: ids.length <= want,
    usedFeeds: true,
    usedStore
  }
}

/** All ids above `from`, oldest first, if they stand near the head of a warm list; else null. */
async function allNewer(context: NewerContext, reader: HomeReader, from: PostId) {
  const feed = await takeWarm(context, `feed:${reader.number}`, END, HEAD_IDS)
  if (feed === null || !reader.rulesHold()) return null
  const oldest = feed.ids.length < HEAD_IDS ? feed.floor : feed.ids.at(-1)
  if (oldest === undefined || oldest > from) return null
  const span = { below: END, above: from, limit: HEAD_IDS }
  const merged = await mergeTimelines(context, reader.number, reader.rules, span)
  // One source that is cut off would leave out what lies nearest.
  if (merged === null || merged.ids.length >= HEAD_IDS) return null
  const ids = [...new Set([...feed.ids, ...merged.ids])].filter(id => id > from).sort()
  return { ids, usedStore: merged.usedStore }
}

/** The same without any warm list. @throws Problem unavailable */
export async function newerStoreSkeleton(
  { store }: Pick<NewerContext, 'store'>,
  reader: number,
  { from, want }: Ask
): Promise<Stretch> {
  const ids = await reachStore(() => store.newerHomeIds(reader, from, want))
  return { ids, exhausted: ids.length < want, usedFeeds: false, usedStore: true }
}
