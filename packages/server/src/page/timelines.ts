import { END, type PostId } from '../domain/post-id.ts'
import { hidesAuthor, isMerged, type Rules } from '../domain/rules.ts'
import { createGate } from '../lib/gate.ts'
import type { Store } from '../ports/store.ts'
import { belowFloor, type ListContext, takeWarm } from './lists.ts'
import { reachStore } from './reach.ts'

const AT_ONCE = 8

/** Timelines that are read from the Store one by one for a stretch of a page. */
const LACKING_MAX = 32

export interface TimelineContext extends ListContext {
  readonly store: Pick<Store, 'idsByAuthor'>
}

/** Ids strictly between two bounds, at most `limit` of each source. */
export interface Span {
  readonly below: PostId
  readonly above: PostId
  readonly limit: number
}

export interface Merged {
  readonly ids: readonly PostId[]
  readonly usedStore: boolean
}

/** The followees whose posts may be missing from the feed above `above`, as far as the reader may see them. */
function mergedAuthors(rules: Rules, reader: number, above: PostId): number[] {
  return [...rules.pulled]
    .filter(([author, until]) => isMerged(until, above) && !hidesAuthor(rules, reader, author))
    .map(([author]) => author)
}

/** What the warm timeline of an author has in the span; what is below `floor` has to come from the Store. */
interface Part {
  readonly author: number
  readonly ids: readonly PostId[]
  readonly floor: PostId
  readonly complete: boolean
}

async function warmPart(context: TimelineContext, author: number, span: Span): Promise<Part> {
  const { below, above, limit } = span
  const taken = await takeWarm(context, `timeline:${author}`, below, limit)
  const ids = taken?.ids.filter(id => id > above) ?? []
  const floor = taken?.floor ?? END
  const complete = (taken !== null && taken.ids.length >= limit) || floor <= above
  return { author, ids, floor, complete }
}

async function completed(context: TimelineContext, part: Part, span: Span) {
  if (part.complete) return part.ids
  const below = belowFloor(part.floor, span.below)
  const limit = span.limit - part.ids.length
  const rest = await reachStore(() =>
    context.store.idsByAuthor(part.author, below, span.above, limit)
  )
  return [...part.ids, ...rest]
}

/**
 * The ids in the span that merged followees add to the reader's feed, in any order. Null when so many of their
 * timelines are not warm that one query for all followees costs less. @throws Problem unavailable
 */
export async function mergeTimelines(
  context: TimelineContext,
  reader: number,
  rules: Rules,
  span: Span
): Promise<Merged | null> {
  const gate = createGate({ concurrency: AT_ONCE })
  const parts: Part[] = []
  let lacking = 0
  const look = async (author: number) => {
    if (lacking > LACKING_MAX) return
    const part = await warmPart(context, author, span)
    if (!part.complete) lacking++
    parts.push(part)
  }
  const authors = mergedAuthors(rules, reader, span.above)
  await Promise.all(authors.map(author => gate.run(() => look(author))))
  if (lacking > LACKING_MAX) return null
  const ids = await Promise.all(parts.map(part => gate.run(() => completed(context, part, span))))
  return { ids: ids.flat(), usedStore: lacking > 0 }
}
