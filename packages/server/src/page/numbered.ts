import { Problem } from '../domain/errors.ts'
import { END, type PostId } from '../domain/post-id.ts'
import type { Feeds, Session } from '../ports/feeds.ts'
import { type Filled, fillPage } from './fill.ts'
import { followedBy } from './followed.ts'
import { type HomeContext, type HomeOptions, type OpenHome, openHome } from './home.ts'
import { type Hydrated, hydrate, present } from './hydrate.ts'
import { reachFeeds } from './reach.ts'
import type { PageResult } from './read-page.ts'

export interface NumberedContext extends HomeContext {
  readonly feeds: HomeContext['feeds'] & Pick<Feeds, 'session' | 'extendSession'>
}

export interface NumberedQuery extends HomeOptions {
  /** From 1 on. */
  readonly page: number
  readonly size: number
  /** The frozen walk; null: the one made last, and a fresh one for page 1. */
  readonly snapshot: string | null
}

export interface NumberedPage extends PageResult {
  /** Names the frozen walk for further pages; null when it could not be kept. */
  readonly snapshot: string | null
}

/** What is known of a walk: `ids` are frozen; `next`, where it goes on, is null at its end. */
interface Frozen extends Session {
  readonly next: PostId | null
  readonly kept: boolean
}

/**
 * A page of a walk of the home feed that is frozen as it is read: posts keep their numbers, whatever comes in above, so
 * none is shown twice. What was deleted or may not be seen any more is left out, and its place stays empty.
 * @throws Problem snapshot_gone, unavailable
 */
export async function numberedPage(
  context: NumberedContext,
  reader: number,
  query: NumberedQuery
): Promise<NumberedPage> {
  const { page, size } = query
  const home = await openHome(context, reader, query, 'down')
  const found = await findSession(context, reader, query)
  const frozen = await reaching(context, reader, home, found, page * size + 1)
  const ids = frozen.ids.slice((page - 1) * size, page * size)
  const shown = await stillShown(context, reader, home, ids)
  const more = frozen.ids.length > page * size || frozen.next !== null
  return {
    items: await present(context, reader, shown),
    ids: shown.map(({ id }) => id),
    next: more ? (ids.at(-1) ?? frozen.next) : null,
    partial: frozen.ids.length < page * size && frozen.next !== null,
    source: 'store',
    snapshot: frozen.kept ? frozen.id : null
  }
}

async function findSession(
  { feeds, telemetry, clock }: NumberedContext,
  reader: number,
  { page, snapshot }: NumberedQuery
): Promise<Session> {
  const fresh = { id: Math.floor(clock.random() * 2 ** 52).toString(36), ids: [] }
  if (page === 1 && snapshot === null) return fresh
  const found = await reachFeeds(telemetry, async () => ({
    session: await feeds.session(reader, snapshot)
  }))
  if (snapshot === null) return found?.session ?? fresh
  if (found === null) throw new Problem('unavailable', 'Snapshots cannot be read now.')
  if (found.session !== null) return found.session
  throw new Problem('snapshot_gone')
}

/** The walk with `count` ids, if there are as many: it is read on from where it is frozen to, and frozen as far as that. */
async function reaching(
  context: NumberedContext,
  reader: number,
  home: OpenHome,
  { id, ids }: Session,
  count: number
): Promise<Frozen> {
  const end = ids.at(-1) ?? END
  if (ids.length >= count) return { id, ids, next: end, kept: true }
  const keep = (some: readonly PostId[]) => hydrate(context.caches, some, home.filter)
  const bounds = { from: end, limit: count - ids.length }
  const filled = await fillPage(context, bounds, home.skeleton, keep)
  const { next } = filled
  const added = placesOf(filled)
  const { feeds, telemetry } = context
  const kept = await reachFeeds(telemetry, () => feeds.extendSession(reader, id, ids.length, added))
  if (kept !== false) return { id, ids: [...ids, ...added], next, kept: kept === true }
  // Somebody else read on, or it is gone.
  const other = await reachFeeds(telemetry, () => feeds.session(reader, id))
  if (other === null) return { id, ids: [...ids, ...added], next, kept: false }
  return reaching(context, reader, home, other, count)
}

/** Where a bound was met the last id looked at has a place, which stays empty: from there the next page gets on. */
function placesOf({ posts, next, partial }: Filled): readonly PostId[] {
  const ids = posts.map(({ id }) => id)
  return partial && next !== null && next !== ids.at(-1) ? [...ids, next] : ids
}

/** The walk may be older than an unfollow of which no cut is left. @throws Problem unavailable */
async function stillShown(
  context: NumberedContext,
  reader: number,
  { filter }: OpenHome,
  ids: readonly PostId[]
): Promise<Hydrated[]> {
  const posts = await hydrate(context.caches, ids, filter)
  const authors = [...new Set(posts.map(({ post }) => post.author))]
  const followed = await followedBy(context.store, reader, authors)
  return posts.filter(({ post }) => followed.has(post.author))
}
