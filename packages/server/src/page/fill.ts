import type { Limits } from '../domain/limits.ts'
import { BEGINNING, type PostId } from '../domain/post-id.ts'
import type { Clock } from '../ports/clock.ts'
import type { Hydrated } from './hydrate.ts'
import type { Skeleton, Stretch } from './skeleton.ts'

/** How many ids are looked at at once, at most, and when the first ones did not fill the page: between them is a bound. */
const SCAN_IDS = 200

export type PageSource = 'warm' | 'store' | 'seam'

export interface Filled {
  readonly posts: readonly Hydrated[]
  /** The last id looked at; null only at the end of the list. */
  readonly next: PostId | null
  /** A bound was met before the page was full. */
  readonly partial: boolean
  readonly source: PageSource
}

/** `from`: where the walk stands, an id that is not shown; `until`: the id that it does not get past, if any. */
export interface FillQuery {
  readonly from: PostId
  readonly until?: PostId | undefined
  readonly limit: number
}

export interface FillContext {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly limits: Pick<Limits, 'pageMs' | 'pageScan'>
}

function sourceOf(stretches: readonly Stretch[]): PageSource {
  if (!stretches.some(stretch => stretch.usedStore)) return 'warm'
  return stretches.some(stretch => stretch.usedFeeds) ? 'seam' : 'store'
}

/** One more than needed often tells that the list ends with this page; when much is filtered, many at once. */
function wantedIds(need: number, round: number, room: number): number {
  const wanted = round === 0 ? Math.min(need + 1, SCAN_IDS) : SCAN_IDS
  return Math.max(1, Math.min(wanted, room))
}

/** Where the walk goes on after a stretch of which `kept` were worth showing and `need` fit on the page. */
function nextAfter(stretch: Stretch, kept: readonly Hydrated[], need: number): PostId | null {
  if (kept.length > need) return kept[need - 1]?.id ?? null
  return stretch.exhausted ? null : (stretch.ids.at(-1) ?? null)
}

/**
 * Goes on from the last id looked at until the page is full, the list ends, or a bound is met. Each round looks at one
 * id at least or ends the list, so a page cut short still gets on.
 */
export async function fillPage(
  { clock, limits }: FillContext,
  query: FillQuery,
  skeleton: Skeleton,
  keep: (ids: readonly PostId[]) => Promise<Hydrated[]>
): Promise<Filled> {
  const started = clock.monotonic()
  const posts: Hydrated[] = []
  const stretches: Stretch[] = []
  const withinBounds = () => looked < limits.pageScan && clock.monotonic() - started < limits.pageMs
  let next: PostId | null = query.from
  let looked = 0
  do {
    const need: number = query.limit - posts.length
    const want = wantedIds(need, stretches.length, limits.pageScan - looked)
    const { until = BEGINNING } = query
    const stretch = await skeleton({ from: next, until, need: Math.min(need, want), want })
    const kept = await keep(stretch.ids)
    next = nextAfter(stretch, kept, need)
    posts.push(...kept.slice(0, need))
    stretches.push(stretch)
    looked += stretch.ids.length
  } while (next !== null && posts.length < query.limit && withinBounds())
  const partial = next !== null && posts.length < query.limit
  return { posts, next, partial, source: sourceOf(stretches) }
}
