export const SLOTS = 16_384

const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1
  return crc
})

/** The Cluster slot of a key: CRC16 (XMODEM) of its first `{tag}`, or of the whole key. */
export function slotOf(key: string): number {
  const bytes = Buffer.from(hashed(key))
  let crc = 0
  for (const byte of bytes) crc = ((crc << 8) & 0xffff) ^ (TABLE[((crc >> 8) ^ byte) & 0xff] ?? 0)
  return crc % SLOTS
}

function hashed(key: string): string {
  const open = key.indexOf('{')
  const close = open < 0 ? -1 : key.indexOf('}', open + 1)
  return close > open + 1 ? key.slice(open + 1, close) : key
}
