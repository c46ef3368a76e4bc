import type { FeedQuery, FollowRequestsQuery, Page, PageQuery } from './api.ts'
import type { RequestOptions } from './transport.ts'

/**
 * One page when awaited; when iterated, the items of this page and all that follow.
 *
 * @example
 * const page = await client.feed({ limit: 50 })
 * for await (const post of client.feed()) show(post)
 */
export type Paged<T, P extends Page<T> = Page<T>> = Promise<P> & AsyncIterable<T>

export type PagedQuery = PageQuery & RequestOptions
export type PagedFeedQuery = FeedQuery & RequestOptions
export type PagedRequestsQuery = FollowRequestsQuery & RequestOptions

/** The first page is asked for at once, each further one when the iteration gets there. */
export function paged<T, P extends Page<T> = Page<T>>(
  query: PagedFeedQuery & PagedRequestsQuery,
  load: (query: PagedFeedQuery & PagedRequestsQuery) => Promise<P>
): Paged<T, P> {
  const first = load(query)
  // A cursor holds its bounds, and goes on behind a numbered page.
  const { after: _, before: _before, page: _page, size, snapshot: _snapshot, ...given } = query
  const rest = { ...(size !== undefined && { limit: size }), ...given }
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
  const { limit, cursor, after, before, known, page, size, snapshot, direction } = given
  const fields = { limit, cursor, after, before, known, page, size, snapshot, direction }
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined) query.set(name, String(value))
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}
