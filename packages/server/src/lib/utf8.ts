const encoder = new TextEncoder()

/**
 * The bytes of a text, in memory of their own. Small results of `Buffer.from` are slices of a pool, and one that is kept
 * keeps the whole slab: 50 kB for a post of 400 bytes were seen.
 */
export function utf8(text: string): Uint8Array {
  return encoder.encode(text)
}
