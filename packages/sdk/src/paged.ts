import type { FeedQuery, FollowRequestsQuery, Page, PageQuery } from './api.ts'
import type { RequestOptions } from './transport.ts'

/**
 * One page when awaited; when iterated, the items of this page and all that follow.
 *
 * @example
 * const page = await client.feed({ limit: 50 })
 * for await (const post of client.feed()) show(post)
 */
export type Paged<T> = Promise<Page<T>> & AsyncIterable<T>

export type PagedQuery = PageQuery & RequestOptions
export type PagedFeedQuery = FeedQuery & RequestOptions
export type PagedRequestsQuery = FollowRequestsQuery & RequestOptions

/** The first page is asked for at once, each further one when the iteration gets there. */
export function paged<T>(
  query: PagedFeedQuery & PagedRequestsQuery,
  load: (query: PagedFeedQuery & PagedRequestsQuery) => Promise<Page<T>>
): Paged<T> {
  const first = load(query)
  // A cursor holds its bounds.
  const { after: _after, before: _before, ...rest } = query
  return Object.assign(first, {
    async *[Symbol.asyncIterator]() {
      for (let page = await first; ; ) {
        yield* page.items
        if (page.nextCursor === null) return
        page = await load({ ...rest, cursor: page.nextCursor })
      }
    }
  })
}

/** The part of an address behind the path: `?limit=20&cursor=…`, or nothing. */
export function queryText(given: FeedQuery & FollowRequestsQuery): string {
  const { limit, cursor, after, before, known, direction } = given
  const fields = { limit, cursor, after, before, known, direction }
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined) query.set(name, String(value))
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}
