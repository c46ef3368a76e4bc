import type { FeedQuery, NewerCount, NewerQuery, UserId } from '@fanwise/sdk'
import type { CursorCodec } from '../domain/cursor.ts'
import { Problem } from '../domain/errors.ts'
import type { PostId } from '../domain/post-id.ts'
import type { ServiceContext } from './context.ts'
import { type Numbers, numbersOf } from './numbers.ts'
import { EMPTY_PAGE, LIMIT_DEFAULT, type Listing, pageBytes } from './pages.ts'
import { lookBack, placeOf, UP, walkOf } from './walks.ts'

/** Posts above a place that are counted. */
const COUNT_MAX = 100

/** The home feed of one user. */
export function homeReads(context: ServiceContext, id: UserId) {
  const { directory, cursors, pager, seen, owed, traces } = context
  const optionsOf = (reader: number, except: Iterable<PostId>) => ({
    source: owed.owes(reader) ? ('store' as const) : ('any' as const),
    except: new Set(except),
    traces
  })
  return {
    async feedBytes(query: FeedQuery = {}): Promise<Uint8Array> {
      const numbers = numbersOf(context.limits, query)
      const user = await directory.reader(id)
      if (user === undefined) return emptyPage(cursors, numbers, query)
      seen(user.number)
      const listing = listingOf(user.number)
      if (numbers !== null) {
        const at = { ...numbers, ...optionsOf(user.number, []) }
        return pageBytes(cursors, listing, await pager.numbered(user.number, at))
      }
      const { limit = LIMIT_DEFAULT, after, known } = query
      const walk = walkOf(cursors, listing, query)
      const except = [...(known ?? [])]
      if (known !== undefined && after !== undefined) except.push(placeOf(cursors, listing, after))
      const at = { ...walk, ...optionsOf(user.number, except), limit }
      if (at.up)
        return pageBytes(cursors, { ...listing, walk: UP }, await pager.newer(user.number, at))
      const bounded = { ...listing, ...(at.above !== undefined && { walk: at.above }) }
      return pageBytes(cursors, bounded, await pager.home(user.number, at))
    },
    async newer({ after, known }: NewerQuery): Promise<NewerCount> {
      const user = await directory.reader(id)
      if (user === undefined) {
        placeOf(cursors, NOBODYS, after)
        return { count: 0, more: false }
      }
      seen(user.number)
      const place = placeOf(cursors, listingOf(user.number), after)
      const above = known === undefined ? place : lookBack(place)
      const options = optionsOf(user.number, known === undefined ? [] : [...known, place])
      return pager.countNewer(user.number, { ...options, above, limit: COUNT_MAX })
    }
  }
}

function listingOf(reader: number): Listing {
  return { list: 'home', reader, owner: reader }
}

/** Of who never wrote: no cursor and no snapshot was made for it. */
const NOBODYS = listingOf(0)

/** What does not fit is refused as it is to anybody. @throws Problem invalid_cursor, invalid_bounds, snapshot_gone */
function emptyPage(cursors: CursorCodec, numbers: Numbers | null, query: FeedQuery): Uint8Array {
  if (numbers === null) walkOf(cursors, NOBODYS, query)
  else if (numbers.snapshot !== null) throw new Problem('snapshot_gone')
  return EMPTY_PAGE
}
