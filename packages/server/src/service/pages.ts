import type { Page, PageQuery } from '@fanwise/sdk'
import type { Cursor, CursorCodec, ListName } from '../domain/cursor.ts'
import { END, type PostId } from '../domain/post-id.ts'
import { presentPage } from '../page/present.ts'
import type { PageResult } from '../page/read-page.ts'

export const LIMIT_DEFAULT = 20

/** A list as one reader pages it. */
export interface Listing {
  readonly list: ListName
  readonly reader: number
  readonly owner: number
}

export const EMPTY_PAGE: Uint8Array = Buffer.from('{"items":[],"nextCursor":null}')

/** One page of posts as JSON bytes, from the position of the cursor. */
export async function pageOfPosts(
  cursors: CursorCodec,
  listing: Listing,
  query: PageQuery,
  read: (query: { below: PostId; limit: number }) => Promise<PageResult>
): Promise<Uint8Array> {
  const below = query.cursor === undefined ? END : cursors.decode(query.cursor, listing)
  return pageBytes(cursors, listing, await read({ below, limit: query.limit ?? LIMIT_DEFAULT }))
}

/** A page of posts as JSON bytes, with the cursor that goes on behind it. */
export function pageBytes(
  cursors: CursorCodec,
  walk: Omit<Cursor, 'last'>,
  result: PageResult & { readonly snapshot?: string | null }
): Uint8Array {
  const next = result.next === null ? null : cursors.encode({ ...walk, last: result.next })
  return presentPage(result, next)
}

/** One keyset page of anything: reads one more than asked to know whether there is more. */
export async function pageOfRows<Row, Item>(
  cursors: CursorCodec,
  listing: Listing,
  query: PageQuery,
  list: {
    read: (before: string | null, limit: number) => Promise<readonly Row[]>
    position: (row: Row) => string
    present: (rows: readonly Row[]) => Promise<readonly Item[]>
  }
): Promise<Page<Item>> {
  const limit = query.limit ?? LIMIT_DEFAULT
  const before = query.cursor === undefined ? null : cursors.decode(query.cursor, listing)
  const rows = await list.read(before, limit + 1)
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  const nextCursor =
    last === undefined ? null : cursors.encode({ ...listing, last: list.position(last) })
  return { items: await list.present(shown), nextCursor }
}

/** A list of who never wrote, for whom no cursor was made. @throws Problem invalid_cursor */
export function emptyPage(
  cursors: CursorCodec,
  list: ListName,
  { cursor }: PageQuery
): Page<never> {
  if (cursor !== undefined) cursors.decode(cursor, { list, reader: 0, owner: 0 })
  return { items: [], nextCursor: null }
}
