import { Problem } from '../domain/errors.ts'
import { END, type PostId } from '../domain/post-id.ts'
import type { Feeds, Session, SessionPart } from '../ports/feeds.ts'
import { type Filled, fillPage, type PageSource } from './fill.ts'
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

/** What is known of a walk: the `ids` of a page are frozen; `next`, where it goes on, is null at its end. */
interface Frozen extends Session {
  readonly next: PostId | null
  readonly kept: boolean
  /** What was read beyond what was frozen; a frozen part comes from Feeds. */
  readonly source: PageSource
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
  const started = context.clock.monotonic()
  const home = await openHome(context, reader, query, 'down')
  const part = { from: (page - 1) * size, to: page * size }
  const found = await findSession(context, reader, query, part)
  const frozen = await reaching(context, reader, home, found, part)
  const { ids, length, source } = frozen
  const shown = await stillShown(context, reader, home, ids)
  const more = length > page * size || frozen.next !== null
  const items = await present(context, reader, shown)
  context.telemetry.observe('page_ms', context.clock.monotonic() - started, { source })
  return {
    items,
    ids: shown.map(({ id }) => id),
    next: more ? (ids.at(-1) ?? frozen.next) : null,
    partial: length < page * size && frozen.next !== null,
    source,
    snapshot: frozen.kept ? frozen.id : null
  }
}

async function findSession(
  { feeds, telemetry, clock }: NumberedContext,
  reader: number,
  { page, snapshot }: NumberedQuery,
  part: SessionPart
): Promise<Session> {
  const id = Math.floor(clock.random() * 2 ** 52).toString(36)
  const fresh = { id, length: 0, last: null, ids: [] }
  if (page === 1 && snapshot === null) return fresh
  const found = await reachFeeds(telemetry, async () => ({
    session: await feeds.session(reader, snapshot, part)
  }))
  if (snapshot === null) return found?.session ?? fresh
  if (found === null) throw new Problem('unavailable', 'Snapshots cannot be read now.')
  if (found.session !== null) return found.session
  throw new Problem('snapshot_gone')
}

/** The walk with one id more than the part, if there are as many: it is read on from where it ends, and frozen that far. */
async function reaching(
  context: NumberedContext,
  reader: number,
  home: OpenHome,
  session: Session,
  part: SessionPart
): Promise<Frozen> {
  const { id, length, last } = session
  if (length > part.to) return { ...session, next: last, kept: true, source: 'warm' }
  const keep = (some: readonly PostId[]) => hydrate(context.caches, some, home.filter)
  const bounds = { from: last ?? END, limit: part.to + 1 - length }
  const filled = await fillPage(context, bounds, home.skeleton, keep)
  const { next, source } = filled
  const added = placesOf(filled)
  const { feeds, telemetry } = context
  const kept = await reachFeeds(telemetry, () => feeds.extendSession(reader, id, length, added))
  if (kept !== false) return { ...longer(session, added, part), next, kept: kept === true, source }
  // Somebody else read on, or it is gone.
  const other = await reachFeeds(telemetry, () => feeds.session(reader, id, part))
  if (other === null) return { ...longer(session, added, part), next, kept: false, source }
  return reaching(context, reader, home, other, part)
}

function longer(session: Session, added: readonly PostId[], { from, to }: SessionPart): Session {
  const { id, length, last, ids } = session
  const further = added.slice(Math.max(0, from - length), Math.max(0, to - length))
  return {
    id,
    length: length + added.length,
    last: added.at(-1) ?? last,
    ids: [...ids, ...further]
  }
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
