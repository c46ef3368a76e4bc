import { Problem } from '../domain/errors.ts'
import type { Limits } from '../domain/limits.ts'
import { isPostId, type PostId } from '../domain/post-id.ts'
import { hidesAuthor } from '../domain/rules.ts'
import { unknownPost } from '../domain/unknown.ts'
import type { Clock } from '../ports/clock.ts'
import type { Feeds, ListKey } from '../ports/feeds.ts'
import type { Store } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { type Caches, createCaches } from './caches.ts'
import { type Filled, fillPage, type PageSource } from './fill.ts'
import { type Filter, hydrate, present } from './hydrate.ts'
import { reachStore } from './reach.ts'
import { readRules } from './rules.ts'
import { createSettler } from './settler.ts'
import { authorSkeleton, homeSkeleton, type Skeleton, storeSkeleton } from './skeleton.ts'

export interface PagerContext {
  readonly store: Store
  readonly feeds: Feeds
  readonly clock: Clock
  readonly limits: Limits
  readonly telemetry: Telemetry
  /** Starts a builder of a cold list, in the background. */
  readonly requestBuild: (list: ListKey) => void
  /** Puts late ids of a list in place, in the background; by default through Feeds, rate-limited. */
  readonly requestSettle?: (list: ListKey) => void
}

export interface PostsQuery {
  /** Posts with a smaller id are shown: the last id looked at by the page before, or END. */
  readonly below: PostId
  /** At least 1. */
  readonly limit: number
}

export interface HomeQuery extends PostsQuery {
  /** `store` leaves out the warm lists. */
  readonly source?: 'any' | 'store'
}

export interface PageResult {
  /** Each a `Post` of the API as JSON. */
  readonly items: readonly Uint8Array[]
  /** Of the items: strictly falling. */
  readonly ids: readonly PostId[]
  /** The last id looked at; null only at the true end. */
  readonly next: PostId | null
  /** Cut short by a bound; `next` goes on exactly behind it. */
  readonly partial: boolean
  readonly source: PageSource
}

/** Reads posts as one viewer may see them. Every method throws Problem unavailable when the Store fails. */
export interface Pager {
  home(reader: number, query: HomeQuery): Promise<PageResult>
  /** An author's own posts. @throws Problem user_not_found when gone, suspended, or blocked either way */
  timeline(viewer: number, author: number, query: PostsQuery): Promise<PageResult>
  /** One post as JSON, hidden ones too. @throws Problem post_not_found */
  post(viewer: number, id: PostId): Promise<Uint8Array>
}

type Context = PagerContext & {
  readonly caches: Caches
  readonly requestSettle: (list: ListKey) => void
}

async function readPage(
  context: Context,
  viewer: number,
  query: PostsQuery,
  skeleton: Skeleton,
  filter: Filter
): Promise<PageResult> {
  const started = context.clock.monotonic()
  const keep = (ids: readonly PostId[]) => hydrate(context.caches, ids, filter)
  const filled: Filled = await fillPage(context, query, skeleton, keep)
  const items = await present(context, viewer, filled.posts)
  const { next, partial, source } = filled
  context.telemetry.observe('page_ms', context.clock.monotonic() - started, { source })
  return { items, ids: filled.posts.map(({ id }) => id), next, partial, source }
}

/** Builds that one page asks for: a reader of many merged authors would take the places of all others. */
const BUILDS_MAX = 4

function askingFewBuilds(context: Context): Context {
  let asked = 0
  const requestBuild = (list: ListKey) => {
    if (asked++ < BUILDS_MAX) context.requestBuild(list)
  }
  return { ...context, requestBuild }
}

async function homePage(given: Context, reader: number, query: HomeQuery): Promise<PageResult> {
  const context = askingFewBuilds(given)
  const { clock, limits } = context
  const started = clock.monotonic()
  // Rules first: a timeline that the feed lacks is merged only if they say so.
  const rules = await readRules(context, reader)
  const rulesHold = () => clock.monotonic() - started < limits.graceMs / 2
  const skeleton: Skeleton = ask =>
    query.source === 'store'
      ? storeSkeleton(context, reader, ask)
      : homeSkeleton(context, { number: reader, rules, rulesHold }, ask)
  return readPage(context, reader, query, skeleton, {
    post: id => !rules.hides.has(id),
    author: author => !hidesAuthor(rules, reader, author)
  })
}

async function timelinePage(
  context: Context,
  viewer: number,
  author: number,
  query: PostsQuery
): Promise<PageResult> {
  const rules = await readRules(context, viewer)
  const found = await reachStore(() => context.caches.authors.getMany([author]))
  if (!found.get(author)?.active || rules.blocks.has(author)) throw new Problem('user_not_found')
  return readPage(context, viewer, query, ask => authorSkeleton(context, author, ask), {
    post: id => !rules.hides.has(id),
    author: () => true
  })
}

async function onePost(context: Context, viewer: number, id: PostId): Promise<Uint8Array> {
  if (!isPostId(id)) throw unknownPost(id)
  const rules = await readRules(context, viewer)
  const posts = await hydrate(context.caches, [id], {
    post: () => true,
    author: author => author === viewer || !rules.blocks.has(author)
  })
  const [bytes] = await present(context, viewer, posts)
  if (bytes === undefined) throw unknownPost(id)
  return bytes
}

export function createPager(given: PagerContext): Pager {
  const caches = createCaches(given)
  const context: Context = {
    ...given,
    caches,
    requestSettle: given.requestSettle ?? createSettler(given)
  }
  return {
    home: (reader, query) => homePage(context, reader, query),
    timeline: (viewer, author, query) => timelinePage(context, viewer, author, query),
    post: (viewer, id) => onePost(context, viewer, id)
  }
}
