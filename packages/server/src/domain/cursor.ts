import { Problem } from './errors.ts'
import { Seal, shown } from './seal.ts'

/** The lists that can be paged. A cursor of one list is refused by another. */
export type ListName =
  | 'home'
  | 'author'
  | 'followers'
  | 'following'
  | 'blocks'
  | 'mutes'
  | 'requests'
  | 'requested'
  | 'users'
  | 'dead'

/**
 * Where a walk stands: data, not a handle. It names the last item looked at, so it survives restarts, eviction,
 * rebuild and the deletion of that item.
 */
export interface Cursor {
  readonly list: ListName
  /** The user who reads (0: the server key). */
  readonly reader: number
  /** Whose list it is. */
  readonly owner: number
  /** The last item looked at: a post id, or a keyset position of 1-19 digits. */
  readonly last: string
  /** Which walk of the list it is, if not the plain one: `up`, or the id that it ends above. */
  readonly walk?: string
}

const VERSION = 1
const POSITION = /^[0-9]{1,19}$/
const WALK = /^(up|[0-9]{1,19})?$/

/** Signs and checks cursors with a key of the server. All nodes of a fleet share the key. */
export class CursorCodec {
  readonly #seal: Seal

  constructor(secret: string) {
    this.#seal = new Seal(secret, 'fanwise cursor')
  }

  encode(cursor: Cursor): string {
    const { list, reader, owner, last, walk } = cursor
    const parts = [VERSION, list, reader, owner, last, ...(walk === undefined ? [] : [walk])]
    return this.#seal.close(parts.join('.'))
  }

  /** The position in `text`. @throws Problem invalid_cursor unless it was made for a plain walk of this list, reader and owner. */
  decode(text: string, expected: Omit<Cursor, 'last' | 'walk'>): string {
    const { last, walk } = this.decodeWalk(text, expected)
    if (walk !== undefined) throw refusal(text)
    return last
  }

  /** Position and walk. @throws Problem invalid_cursor unless it was made for this list, reader and owner. */
  decodeWalk(
    text: string,
    expected: Omit<Cursor, 'last' | 'walk'>
  ): { readonly last: string; readonly walk: string | undefined } {
    const parts = this.#seal.open(text)?.split('.') ?? []
    const [version, list, reader, owner, last = '', walk] = parts
    const fits =
      version === String(VERSION) &&
      list === expected.list &&
      reader === String(expected.reader) &&
      owner === String(expected.owner)
    if (!fits || parts.length > 6 || !POSITION.test(last) || !WALK.test(walk ?? ''))
      throw refusal(text)
    return { last, walk }
  }
}

function refusal(text: string): Problem {
  return new Problem(
    'invalid_cursor',
    `The cursor "${shown(text)}" was not made by this server for this list and reader. Start again without a cursor.`
  )
}
