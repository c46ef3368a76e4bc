import { createHmac, timingSafeEqual } from 'node:crypto'
import { Problem } from './errors.ts'

/** The lists that can be paged. A cursor of one list is refused by another. */
export type ListName =
  | 'home'
  | 'author'
  | 'followers'
  | 'following'
  | 'blocks'
  | 'mutes'
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
}

const VERSION = 1
const MAC_BYTES = 16
const TEXT_MAX = 256
const POSITION = /^[0-9]{1,19}$/

/** Signs and checks cursors with a key of the server. All nodes of a fleet share the key. */
export class CursorCodec {
  readonly #key: Buffer

  constructor(secret: string) {
    this.#key = createHmac('sha256', secret).update('fanwise cursor').digest()
  }

  encode(cursor: Cursor): string {
    const payload = Buffer.from(
      [VERSION, cursor.list, cursor.reader, cursor.owner, cursor.last].join('.')
    )
    return Buffer.concat([this.#mac(payload), payload]).toString('base64url')
  }

  /** The position in `text`. @throws Problem invalid_cursor unless it was made for this list, reader and owner. */
  decode(text: string, expected: Omit<Cursor, 'last'>): string {
    const bytes = text.length <= TEXT_MAX ? Buffer.from(text, 'base64url') : Buffer.alloc(0)
    const payload = bytes.subarray(MAC_BYTES)
    if (bytes.toString('base64url') !== text || !this.#signed(bytes, payload)) throw refusal(text)
    const [version, list, reader, owner, last = '', ...rest] = payload.toString().split('.')
    const fits =
      version === String(VERSION) &&
      list === expected.list &&
      reader === String(expected.reader) &&
      owner === String(expected.owner)
    if (!fits || rest.length > 0 || !POSITION.test(last)) throw refusal(text)
    return last
  }

  #mac(payload: Uint8Array): Buffer {
    return createHmac('sha256', this.#key).update(payload).digest().subarray(0, MAC_BYTES)
  }

  #signed(bytes: Buffer, payload: Buffer): boolean {
    if (payload.length === 0) return false
    return timingSafeEqual(bytes.subarray(0, MAC_BYTES), this.#mac(payload))
  }
}

function refusal(text: string): Problem {
  const shown = (text.length > 40 ? `${text.slice(0, 40)}…` : text).toWellFormed()
  return new Problem(
    'invalid_cursor',
    `The cursor "${shown}" was not made by this server for this list and reader. Start again without a cursor.`
  )
}
