import type { Limits } from '../domain/limits.ts'
import type { PostId } from '../domain/post-id.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import type { Caches } from './caches.ts'
import { type FillQuery, fillPage, type PageSource } from './fill.ts'
import { type Filter, hydrate, present } from './hydrate.ts'
import type { Skeleton } from './skeleton.ts'

export interface PageResult {
  /** Each a `Post` of the API as JSON. */
  readonly items: readonly Uint8Array[]
  /** Of the items: strictly falling, or rising in a walk up. */
  readonly ids: readonly PostId[]
  /** The last id looked at; null only at the true end. */
  readonly next: PostId | null
  /** Cut short by a bound; `next` goes on exactly behind it. */
  readonly partial: boolean
  readonly source: PageSource
}

export interface ReadContext {
  readonly store: Pick<Store, 'likedBy'>
  readonly clock: Clock
  readonly limits: Limits
  readonly telemetry: Telemetry
  readonly caches: Caches
}

/** A page of what the skeleton gives and the filter lets through. @throws Problem unavailable */
export async function readPage(
  context: ReadContext,
  viewer: number,
  query: FillQuery,
  skeleton: Skeleton,
  filter: Filter
): Promise<PageResult> {
  const started = context.clock.monotonic()
  const keep = (ids: readonly PostId[]) => hydrate(context.caches, ids, filter)
  const { posts, next, partial, source } = await fillPage(context, query, skeleton, keep)
  const items = await present(context, viewer, posts)
  context.telemetry.observe('page_ms', context.clock.monotonic() - started, { source })
  return { items, ids: posts.map(({ id }) => id), next, partial, source }
}
