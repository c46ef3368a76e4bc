import type { PostId } from './post-id.ts'

/**
 * An element of a list in arrival order, as text: `id` pushed in time, `-id` pushed late and, last of all, either
 * `f<floor>` (the list is complete above the floor) or `b<token>` (it is being built).
 */
export type Entry = string

const LATE = '-'
const FLOOR = 'f'
const BUILD = 'b'

export function lateEntry(id: PostId): Entry {
  return LATE + id
}

export function floorEntry(floor: PostId): Entry {
  return FLOOR + floor
}

export function buildEntry(token: string): Entry {
  return BUILD + token
}

export function isLate(entry: Entry): boolean {
  return entry.charCodeAt(0) === 45 // LATE: lists are read element by element, often
}

export function isFloor(entry: Entry): boolean {
  return entry.startsWith(FLOOR)
}

export function isBuild(entry: Entry): boolean {
  return entry.startsWith(BUILD)
}

/** The id of an entry in time or late, or the floor of a marker. */
export function idOf(entry: Entry): PostId {
  return isLate(entry) || isFloor(entry) ? entry.slice(1) : entry
}
