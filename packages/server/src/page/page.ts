import type { Trace } from '../domain/commit.ts'
import { Problem } from '../domain/errors.ts'
import type { Limits } from '../domain/limits.ts'
import { isPostId, type PostId } from '../domain/post-id.ts'
import { unknownPost } from '../domain/unknown.ts'
import type { Clock } from '../ports/clock.ts'
import type { Feeds, ListKey } from '../ports/feeds.ts'
import type { Store } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { type Caches, createCaches } from './caches.ts'
import { followedBy } from './followed.ts'
import {
  countNewer,
  type HomeQuery,
  homePage,
  type NewerCount,
  type NewerQuery,
  newerPage
} from './home.ts'
import { hydrate, present } from './hydrate.ts'
import { type NumberedPage, type NumberedQuery, numberedPage } from './numbered.ts'
import { reachStore } from './reach.ts'
import { type PageResult, readPage } from './read-page.ts'
import { createSettler } from './settler.ts'
import { authorSkeleton } from './skeleton.ts'
import { rulesAfter } from './traces.ts'

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
  /** What was written before: it is looked for. */
  readonly traces?: readonly Trace[]
}

/** Reads posts as one viewer may see them. Every method throws Problem unavailable when the Store fails. */
export interface Pager {
  home(reader: number, query: HomeQuery): Promise<PageResult>
  /** The home feed upwards from an id, oldest first. */
  newer(reader: number, query: NewerQuery): Promise<PageResult>
  /** How many posts of the home feed lie above an id, up to `limit`. */
  countNewer(reader: number, query: NewerQuery): Promise<NewerCount>
  /** The home feed by page numbers. @throws Problem snapshot_gone */
  numbered(reader: number, query: NumberedQuery): Promise<NumberedPage>
  /**
   * An author's own posts. @throws Problem user_not_found when gone, suspended, or blocked either way; private_account
   */
  timeline(viewer: number, author: number, query: PostsQuery): Promise<PageResult>
  /** One post as JSON, hidden ones too. @throws Problem post_not_found */
  post(viewer: number, id: PostId, traces?: readonly Trace[]): Promise<Uint8Array>
  /** The same for many: in their order, without those that the viewer may not see. */
  posts(
    viewer: number,
    ids: readonly PostId[],
    traces?: readonly Trace[]
  ): Promise<ReadonlyMap<PostId, Uint8Array>>
}

type Context = PagerContext & {
  readonly caches: Caches
  readonly requestSettle: (list: ListKey) => void
}

async function timelinePage(
  context: Context,
  viewer: number,
  author: number,
  query: PostsQuery
): Promise<PageResult> {
  const rules = await rulesAfter(context, viewer, query.traces ?? [])
  const found = await reachStore(() => context.caches.authors.getMany([author]))
  const owner = found.get(author)
  if (!owner?.active || rules.blocks.has(author)) throw new Problem('user_not_found')
  const followed = (authors: readonly number[]) => followedBy(context.store, viewer, authors)
  if (owner.isPrivate && !(await followed([author])).has(author))
    throw new Problem('private_account')
  const bounds = { from: query.below, limit: query.limit }
  return readPage(context, viewer, bounds, ask => authorSkeleton(context, author, ask), {
    post: id => !rules.hides.has(id),
    author: () => true,
    followed
  })
}

async function onePost(
  context: Context,
  viewer: number,
  id: PostId,
  traces: readonly Trace[]
): Promise<Uint8Array> {
  const bytes = (await manyPosts(context, viewer, [id], traces)).get(id)
  if (bytes === undefined) throw unknownPost(id)
  return bytes
}

async function manyPosts(
  context: Context,
  viewer: number,
  ids: readonly PostId[],
  traces: readonly Trace[]
): Promise<ReadonlyMap<PostId, Uint8Array>> {
  const rules = await rulesAfter(context, viewer, traces)
  const wanted = [...new Set(ids)].filter(isPostId)
  const posts = await hydrate(context.caches, wanted, {
    post: () => true,
    author: author => author === viewer || !rules.blocks.has(author),
    followed: authors => followedBy(context.store, viewer, authors)
  })
  const bytes = await present(context, viewer, posts)
  return new Map(posts.map(({ id }, index) => [id, bytes[index] as Uint8Array]))
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
    newer: (reader, query) => newerPage(context, reader, query),
    countNewer: (reader, query) => countNewer(context, reader, query),
    numbered: (reader, query) => numberedPage(context, reader, query),
    timeline: (viewer, author, query) => timelinePage(context, viewer, author, query),
    post: (viewer, id, traces = []) => onePost(context, viewer, id, traces),
    posts: (viewer, ids, traces = []) => manyPosts(context, viewer, ids, traces)
  }
}
