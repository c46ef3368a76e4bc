import type { Page, PageQuery } from './api.ts'
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

/** The first page is asked for at once, each further one when the iteration gets there. */
export function paged<T>(
  query: PagedQuery,
  load: (query: PagedQuery) => Promise<Page<T>>
): Paged<T> {
  const first = load(query)
  return Object.assign(first, {
    async *[Symbol.asyncIterator]() {
      for (let page = await first; ; ) {
        yield* page.items
        if (page.nextCursor === null) return
        page = await load({ ...query, cursor: page.nextCursor })
      }
    }
  })
}

/** The part of an address behind the path: `?limit=20&cursor=…`, or nothing. */
export function queryText({ limit, cursor }: PageQuery): string {
  const query = new URLSearchParams()
  if (limit !== undefined) query.set('limit', String(limit))
  if (cursor !== undefined) query.set('cursor', cursor)
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}
