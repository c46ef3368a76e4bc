import { END, type PostId } from '../domain/post-id.ts'
import { hidesAuthor, isMerged, type Rules } from '../domain/rules.ts'
import { createGate } from '../lib/gate.ts'
import type { Store } from '../ports/store.ts'
import { belowFloor, type ListContext, takeWarm } from './lists.ts'
import { reachStore } from './reach.ts'

const AT_ONCE = 8

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

/** A timeline is complete above its own floor only; what it lacks in the span comes from the Store. */
async function spanOfAuthor(context: TimelineContext, author: number, span: Span): Promise<Merged> {
  const { below, above, limit } = span
  const taken = await takeWarm(context, `timeline:${author}`, below, limit)
  const ids = taken?.ids.filter(id => id > above) ?? []
  const floor = taken?.floor ?? END
  const complete = (taken !== null && taken.ids.length >= limit) || floor <= above
  if (complete) return { ids, usedStore: false }
  const rest = await reachStore(() =>
    context.store.idsByAuthor(author, belowFloor(floor, below), above, limit - ids.length)
  )
  return { ids: [...ids, ...rest], usedStore: true }
}

/** The ids in the span that pulled followees add to the reader's feed, in any order. @throws Problem unavailable */
export async function mergeTimelines(
  context: TimelineContext,
  reader: number,
  rules: Rules,
  span: Span
): Promise<Merged> {
  const authors = mergedAuthors(rules, reader, span.above)
  const gate = createGate({ concurrency: AT_ONCE })
  const parts = await Promise.all(
    authors.map(author => gate.run(() => spanOfAuthor(context, author, span)))
  )
  return {
    ids: parts.flatMap(part => part.ids),
    usedStore: parts.some(part => part.usedStore)
  }
}
