import { createHmac, timingSafeEqual } from 'node:crypto'

const MAC_BYTES = 16
const TEXT_MAX = 256

/** Signs short texts that clients give back, with a key of the server and a purpose. All nodes of a fleet share the key. */
export class Seal {
  readonly #key: Buffer

  constructor(secret: string, purpose: string) {
    this.#key = createHmac('sha256', secret).update(purpose).digest()
  }

  /** base64url of MAC and text. */
  close(text: string): string {
    const payload = Buffer.from(text)
    return Buffer.concat([this.#mac(payload), payload]).toString('base64url')
  }

  /** The text; null unless this seal closed it, character by character. */
  open(sealed: string): string | null {
    const bytes = sealed.length <= TEXT_MAX ? Buffer.from(sealed, 'base64url') : Buffer.alloc(0)
    const payload = bytes.subarray(MAC_BYTES)
    if (bytes.toString('base64url') !== sealed || payload.length === 0) return null
    return timingSafeEqual(bytes.subarray(0, MAC_BYTES), this.#mac(payload))
      ? payload.toString()
      : null
  }

  #mac(payload: Uint8Array): Buffer {
    return createHmac('sha256', this.#key).update(payload).digest().subarray(0, MAC_BYTES)
  }
}

/** The beginning of what somebody sent, fit for a message. */
export function shown(text: string): string {
  return (text.length > 40 ? `${text.slice(0, 40)}…` : text).toWellFormed()
}
