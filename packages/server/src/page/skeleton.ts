import { BEGINNING, type PostId } from '../domain/post-id.ts'
import type { Rules } from '../domain/rules.ts'
import type { Taken } from '../ports/feeds.ts'
import type { Store } from '../ports/store.ts'
import { belowFloor, takeWarm } from './lists.ts'
import { reachStore } from './reach.ts'
import { mergeTimelines, type TimelineContext } from './timelines.ts'

/**
 * The ids next to `from` are asked for, in the direction of the walk: up to `want`, but nothing slow is read once there
 * are `need`. A walk down ends above `until`.
 */
export interface Ask {
  readonly from: PostId
  readonly until: PostId
  readonly need: number
  readonly want: number
}

/** The next ids of a walk, in its order and without a gap. `exhausted`: nothing lies behind them. */
export interface Stretch {
  readonly ids: readonly PostId[]
  readonly exhausted: boolean
  /** Whether ids came from warm lists, and whether the Store was read. */
  readonly usedFeeds: boolean
  readonly usedStore: boolean
}

export type Skeleton = (ask: Ask) => Promise<Stretch>

export interface SkeletonContext extends TimelineContext {
  readonly store: Pick<Store, 'homeIds' | 'idsByAuthor'>
}

function fromStore(ids: readonly PostId[], limit: number): Stretch {
  return { ids, exhausted: ids.length < limit, usedFeeds: false, usedStore: true }
}

async function homeFromStore(
  store: Pick<Store, 'homeIds'>,
  reader: number,
  below: PostId,
  limit: number
): Promise<Stretch> {
  const ids = await reachStore(() => store.homeIds(reader, below, limit))
  return fromStore(ids, limit)
}

/** Whose feed it is, and what their rules say. */
export interface HomeReader {
  readonly number: number
  readonly rules: Rules
  /** False when the rules are so old that an author may be pulled by now whom they don't name. */
  readonly rulesHold: () => boolean
}

/**
 * The part of a home feed that its warm list answers for, with the timelines that belong into it. Null when the Store
 * has to be read, for too many of these are not warm.
 */
async function homeAboveFloor(
  context: SkeletonContext,
  reader: HomeReader,
  ask: Ask,
  feed: Taken
): Promise<Stretch | null> {
  const { from: below, until, want } = ask
  const full = feed.ids.length >= want
  const above = (full ? feed.ids.at(-1) : undefined) ?? feed.floor
  const merged = await mergeTimelines(context, reader.number, reader.rules, {
    below,
    above,
    limit: want
  })
  if (merged === null) return null
  const all = [...new Set([...feed.ids, ...merged.ids])].sort().reverse()
  const ids = all.slice(0, want)
  return {
    ids,
    exhausted: above <= until && ids.length < want,
    usedFeeds: true,
    usedStore: merged.usedStore
  }
}

/** What lies at or below `until` is none of the walk's. */
function endedAbove(stretch: Stretch, until: PostId): Stretch {
  if (until === BEGINNING) return stretch
  const ids = stretch.ids.filter(id => id > until)
  return { ...stretch, ids, exhausted: stretch.exhausted || ids.length < stretch.ids.length }
}

/**
 * The reader's home feed, downwards: the warm list above its floor, from there on the Store; all from the Store while it
 * is not warm. The rules are read before: they say whose timelines are merged. @throws Problem unavailable
 */
export async function homeSkeleton(
  context: SkeletonContext,
  reader: HomeReader,
  ask: Ask
): Promise<Stretch> {
  return endedAbove(await wholeHome(context, reader, ask), ask.until)
}

async function wholeHome(context: SkeletonContext, reader: HomeReader, ask: Ask): Promise<Stretch> {
  const { from: below, need, want } = ask
  const feed = await takeWarm(context, `feed:${reader.number}`, below, want)
  const usable = feed !== null && feed.floor < below && reader.rulesHold()
  const upper = usable ? await homeAboveFloor(context, reader, ask, feed) : null
  if (!usable || upper === null) return homeFromStore(context.store, reader.number, below, want)
  if (upper.exhausted || upper.ids.length >= need) return upper
  const seam = belowFloor(feed.floor, below)
  const lower = await homeFromStore(context.store, reader.number, seam, want - upper.ids.length)
  return {
    ids: [...upper.ids, ...lower.ids],
    exhausted: lower.exhausted,
    usedFeeds: upper.ids.length > 0,
    usedStore: true
  }
}

/** The same without any warm list. @throws Problem unavailable */
export async function storeSkeleton(
  context: SkeletonContext,
  reader: number,
  ask: Ask
): Promise<Stretch> {
  const stretch = await homeFromStore(context.store, reader, ask.from, ask.want)
  return endedAbove(stretch, ask.until)
}

/**
 * An author's own posts, always from the Store: a timeline gets a post only when its event is worked off, and authors
 * look for what they just posted. @throws Problem unavailable
 */
export async function authorSkeleton(
  context: SkeletonContext,
  author: number,
  ask: Ask
): Promise<Stretch> {
  const ids = await reachStore(() =>
    context.store.idsByAuthor(author, ask.from, BEGINNING, ask.want)
  )
  return fromStore(ids, ask.want)
}
