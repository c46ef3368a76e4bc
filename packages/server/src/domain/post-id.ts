/**
 * A post id is a positive 63-bit integer `ms(42) << 21 | shard(9) << 12 | seq(12)` as its decimal text.
 * The text always has 19 digits (1985 to 2109), so text order = number order = time order.
 * It never becomes a JavaScript number: a double cannot hold it.
 */
export type PostId = string

/** Below every post id: the floor of a list that is complete to the beginning. */
export const BEGINNING: PostId = '0'

/** Above every post id: where a walk starts. */
export const END: PostId = '9999999999999999999'

export const SHARDS = 512
export const SEQUENCES = 4096
export const LANES = 64

/** 1985-02-09T22:45:58.204Z, the first ms whose ids have 19 digits; 2109-05-15, the last ms of 42 bits. */
export const FIRST_MS = 476_837_158_204
export const LAST_MS = 2 ** 42 - 1

const PATTERN = /^[1-9][0-9]{18}$/
const LARGEST = ((1n << 63n) - 1n).toString()

export function isPostId(text: string): boolean {
  return PATTERN.test(text) && text <= LARGEST
}

/** @throws RangeError when a part is outside its bits or the id would not have 19 digits. */
export function makePostId(ms: number, shard: number, seq: number): PostId {
  if (!Number.isInteger(ms) || ms < FIRST_MS || ms > LAST_MS)
    throw new RangeError(`ms ${ms} is outside ${FIRST_MS}..${LAST_MS}`)
  if (!Number.isInteger(shard) || shard < 0 || shard >= SHARDS)
    throw new RangeError(`shard ${shard} is outside 0..${SHARDS - 1}`)
  if (!Number.isInteger(seq) || seq < 0 || seq >= SEQUENCES)
    throw new RangeError(`seq ${seq} is outside 0..${SEQUENCES - 1}`)
  return ((BigInt(ms) << 21n) | BigInt((shard << 12) | seq)).toString()
}

/** Unix time of creation in ms. */
export function timeOf(id: PostId): number {
  return Number(BigInt(id) >> 21n)
}

export function shardOf(id: PostId): number {
  return Number((BigInt(id) >> 12n) & 511n)
}

/** A bound that every id made before `ms` is below and no later one is: not an id of a post. */
export function boundAt(ms: number): PostId {
  const inside = Math.min(Math.max(Math.ceil(ms), FIRST_MS), LAST_MS)
  return (BigInt(inside) << 21n).toString()
}

/**
 * An id moved by `ms` in time: floors and windows are computed with it. What leaves the range of ids becomes
 * BEGINNING or END, so that text order still holds; these two stay what they are.
 */
export function shiftId(id: PostId, ms: number): PostId {
  const moved = (BigInt(id) + (BigInt(Math.round(ms)) << 21n)).toString()
  if (moved.startsWith('-') || moved.length < 19) return BEGINNING
  return moved.length > 19 || moved > LARGEST ? END : moved
}

/**
 * The shard of an author: Fibonacci hashing of the low 16 bits of the user's number.
 * The migration has the same formula in SQL; a test compares both.
 */
export function shardOfAuthor(author: number): number {
  return Math.floor(((author % 65_536) * 40_503) / 128) % SHARDS
}

/** All events of one author go through one lane. */
export function laneOfAuthor(author: number): number {
  return shardOfAuthor(author) % LANES
}
