import type { FeedQuery } from '@fanwise/sdk'
import type { CursorCodec } from '../domain/cursor.ts'
import { Problem } from '../domain/errors.ts'
import { WINDOW_MS } from '../domain/limits.ts'
import { END, isPostId, type PostId, shiftId } from '../domain/post-id.ts'
import type { Listing } from './pages.ts'

/** Which way through the home feed a query goes, and from where. */
export type Walk =
  | { readonly up: false; readonly below: PostId; readonly above?: PostId }
  | { readonly up: true; readonly above: PostId }

/** What a cursor keeps of a walk beside its position. */
export const UP = 'up'

/** @throws Problem invalid_cursor, invalid_bounds */
export function walkOf(cursors: CursorCodec, listing: Listing, query: FeedQuery): Walk {
  const { cursor, after, before, known } = query
  if (cursor !== undefined) return walkOfCursor(cursors, listing, query, cursor)
  const place = (text: string) => placeOf(cursors, listing, text)
  if (known !== undefined && (after === undefined || before !== undefined)) throw needsAfter()
  if (after === undefined) return { up: false, below: before === undefined ? END : place(before) }
  const above = place(after)
  if (before === undefined)
    return { up: true, above: known === undefined ? above : lookBack(above) }
  const below = place(before)
  if (above < below) return { up: false, below, above }
  throw new Problem(
    'invalid_bounds',
    `after (${above}) has to be an older post than before (${below}).`
  )
}

function walkOfCursor(
  cursors: CursorCodec,
  listing: Listing,
  { after, before, known }: FeedQuery,
  cursor: string
): Walk {
  if (after !== undefined || before !== undefined)
    throw new Problem('invalid_bounds', 'A cursor holds its bounds: leave out after and before.')
  const { last, walk } = cursors.decodeWalk(cursor, listing)
  if (walk === UP) return { up: true, above: last }
  if (known !== undefined) throw needsAfter()
  return { up: false, below: last, ...(walk !== undefined && { above: walk }) }
}

/** Where a post or a cursor stands; the post need not exist any more. @throws Problem invalid_cursor */
export function placeOf(cursors: CursorCodec, listing: Listing, text: string): PostId {
  return isPostId(text) ? text : cursors.decodeWalk(text, listing).last
}

/** Nothing comes in further below what a client has seen. */
export function lookBack(place: PostId): PostId {
  return shiftId(place, -WINDOW_MS)
}

function needsAfter(): Problem {
  return new Problem(
    'invalid_bounds',
    'known goes with after alone, or with a cursor of such a walk.'
  )
}
