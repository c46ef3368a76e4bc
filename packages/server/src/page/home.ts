import type { Trace } from '../domain/commit.ts'
import type { PostId } from '../domain/post-id.ts'
import { END } from '../domain/post-id.ts'
import { hidesAuthor, type Rules } from '../domain/rules.ts'
import type { ListKey } from '../ports/feeds.ts'
import { fillPage } from './fill.ts'
import { type Filter, hydrate } from './hydrate.ts'
import { type NewerContext, newerSkeleton, newerStoreSkeleton } from './newer.ts'
import { type Direction, withPosts } from './overlay.ts'
import { type PageResult, type ReadContext, readPage } from './read-page.ts'
import { homeSkeleton, type Skeleton, storeSkeleton } from './skeleton.ts'
import { lookFor, type TraceContext } from './traces.ts'

export type HomeContext = ReadContext & NewerContext & TraceContext

/** Of a reader's home feed, whichever way it is read. */
export interface HomeOptions {
  /** `store` leaves out the warm lists. */
  readonly source?: 'any' | 'store'
  /** What was written before: it is looked for. */
  readonly traces?: readonly Trace[]
  /** Posts that are left out. */
  readonly except?: ReadonlySet<PostId>
}

export interface HomeQuery extends HomeOptions {
  /** Posts with a smaller id are shown: the last id looked at by the page before, or END. */
  readonly below: PostId
  /** Only posts with a larger id are shown. */
  readonly above?: PostId
  /** At least 1. */
  readonly limit: number
}

export interface NewerQuery extends HomeOptions {
  readonly above: PostId
  readonly limit: number
}

/** `more`: there are others, or, where a bound was met, some that were not looked at. */
export interface NewerCount {
  readonly count: number
  readonly more: boolean
}

/** A home feed as it is walked now, by its rules of now. */
export interface OpenHome {
  readonly skeleton: Skeleton
  readonly filter: Filter
}

/** Builds that one page asks for: a reader of many merged authors would take the places of all others. */
const BUILDS_MAX = 4

/** `passing` lists are not built: nobody reads them again. */
function askingFewBuilds(context: HomeContext, passing: ReadonlySet<ListKey>): HomeContext {
  let asked = 0
  const requestBuild = (list: ListKey) => {
    if (!passing.has(list) && asked++ < BUILDS_MAX) context.requestBuild(list)
  }
  return { ...context, requestBuild }
}

/** By direction: with the warm lists, and without. */
const SKELETONS = {
  down: [homeSkeleton, storeSkeleton],
  up: [newerSkeleton, newerStoreSkeleton]
} as const

/** How the reader's home feed is walked now. Rules first: a timeline that the feed lacks is merged only if they say so. */
export async function openHome(
  given: HomeContext,
  reader: number,
  options: HomeOptions,
  direction: Direction
): Promise<OpenHome> {
  const { clock, limits } = given
  const started = clock.monotonic()
  const { rules, posts, passing } = await lookFor(given, reader, options.traces ?? [])
  const context = askingFewBuilds(given, passing)
  const rulesHold = () => clock.monotonic() - started < limits.graceMs / 2
  const home = { number: reader, rules, rulesHold }
  const [whole, stored] = SKELETONS[direction]
  const skeleton: Skeleton = ask =>
    options.source === 'store' ? stored(context, reader, ask) : whole(context, home, ask)
  const filter = homeFilter(rules, reader, options.except)
  return { skeleton: withPosts(skeleton, posts, direction), filter }
}

function homeFilter(rules: Rules, reader: number, except?: ReadonlySet<PostId>): Filter {
  return {
    post: id => !rules.hides.has(id) && !except?.has(id),
    author: author => !hidesAuthor(rules, reader, author),
    // A feed has posts of followees alone, and a follow that ended leaves a cut.
    followed: async authors => new Set(authors)
  }
}

/** Newest first from `below` on. @throws Problem unavailable */
export async function homePage(
  context: HomeContext,
  reader: number,
  query: HomeQuery
): Promise<PageResult> {
  const { skeleton, filter } = await openHome(context, reader, query, 'down')
  const { below, above, limit } = query
  return readPage(context, reader, { from: below, until: above, limit }, skeleton, filter)
}

/** Oldest first from `above` on. @throws Problem unavailable */
export async function newerPage(
  context: HomeContext,
  reader: number,
  query: NewerQuery
): Promise<PageResult> {
  const { skeleton, filter } = await openHome(context, reader, query, 'up')
  return readPage(context, reader, { from: query.above, limit: query.limit }, skeleton, filter)
}

/** How many posts lie above, up to `limit`. @throws Problem unavailable */
export async function countNewer(
  context: HomeContext,
  reader: number,
  query: NewerQuery
): Promise<NewerCount> {
  const { skeleton, filter } = await openHome(context, reader, query, 'down')
  const keep = (ids: readonly PostId[]) => hydrate(context.caches, ids, filter)
  // One more than is counted: what a rule hides is no other.
  const bounds = { from: END, until: query.above, limit: query.limit + 1 }
  const { posts, next } = await fillPage(context, bounds, skeleton, keep)
  const more = posts.length > query.limit
  return { count: more ? query.limit : posts.length, more: more || next !== null }
}
