import { createHash, timingSafeEqual } from 'node:crypto'

/** A comparison whose time says nothing about the key. @throws RangeError when the key is empty. */
export function serverKeyCheck(serverKey: string): (token: string) => boolean {
  if (serverKey === '') throw new RangeError('The server key is empty.')
  const expected = digest(serverKey)
  return token => timingSafeEqual(digest(token), expected)
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
