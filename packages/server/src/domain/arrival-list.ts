/**
 * A list in arrival order gives exact pages. Entries stand head first: the newest push is at index 0.
 * An id is late when it is over LATE_MS old as it is written, and no id is ahead of the clocks; so nothing deeper
 * in a list is more than WINDOW_MS newer than an in-time id above it. All else follows from that.
 */
import { buildEntry, type Entry, floorEntry, idOf, isBuild, isFloor, isLate } from './entry.ts'
import { WINDOW_MS } from './limits.ts'
import { BEGINNING, END, type PostId, shiftId } from './post-id.ts'

/** One atomic read of a list. */
export interface HeadRead {
  /** Entries from the head on. */
  readonly head: readonly Entry[]
  /** The last entry of the list, read or not; undefined when there is no list. */
  readonly last: Entry | undefined
  /** `head` is the whole list. */
  readonly whole: boolean
}

/** What a read gives: see `Taken` of the Feeds port. */
export interface ListPage {
  readonly state: 'cold' | 'building' | 'warm'
  readonly ids: readonly PostId[]
  readonly floor: PostId
  readonly unsettled: boolean
}

const COLD: ListPage = { state: 'cold', ids: [], floor: END, unsettled: false }
const BUILDING: ListPage = { ...COLD, state: 'building' }

/**
 * Up to `limit` (at least 1) ids below `below`, newest first; null when the read is too short to tell.
 * Read again then, longer and from the head, never on from an offset: pushes move everything.
 */
export function takeFrom(read: HeadRead, below: PostId, limit: number): ListPage | null {
  const { head, last, whole } = read
  if (last === undefined) return COLD
  if (isBuild(last)) return BUILDING
  const marker = isFloor(last) ? idOf(last) : null
  const { ids, oldest, unsettled } = scan(head, marker ?? BEGINNING, below)
  if (!whole) {
    const end = oldest === null ? undefined : newestFirst(ids)[limit - 1]
    if (end === undefined || end <= shiftId(oldest ?? END, WINDOW_MS)) return null
    return { state: 'warm', ids: ids.slice(0, limit), floor: marker ?? BEGINNING, unsettled }
  }
  const floor = marker ?? windowAbove(oldest)
  if (floor === null) return COLD
  const above = marker === null ? ids.filter(id => id > floor) : ids
  return { state: 'warm', ids: newestFirst(above).slice(0, limit), floor, unsettled }
}

/** How many entries to read at first for a page of `limit`. */
export function firstRead(limit: number): number {
  return Math.max(64, 2 * limit)
}

/** How many to read when `length` were too few. */
export function longerRead(length: number): number {
  return 4 * length
}

/** What a list of `length` entries is cut to: trimming only now and then makes a push cheap. */
export function keptLength(length: number, cap: number, slack: number): number {
  return length > cap + slack ? cap : length
}

/** A list without marker and in-time id has no floor. */
export function isCold(entries: readonly Entry[]): boolean {
  const last = entries.at(-1)
  return last === undefined || (!isFloor(last) && !isBuild(last) && entries.every(isLate))
}

/**
 * The lowest floor that a list can come to claim: the marker may be trimmed away, then an in-time id sets it.
 * '0' while it is being built, null when it is cold.
 */
export function lowestFloorOf(entries: readonly Entry[]): PostId | null {
  const last = entries.at(-1)
  if (last === undefined) return null
  if (isBuild(last)) return BEGINNING
  const marker = isFloor(last) ? idOf(last) : null
  const window = windowAbove(scan(entries, END, BEGINNING).oldest)
  return [marker, window].filter(bound => bound !== null).sort()[0] ?? null
}

/**
 * The list with late ids put in place; null when it has to stay as it is: being built, cold, or in order.
 * What is at or below the floor goes: as an in-time id it would lower the floor once the marker is trimmed away.
 */
export function settled(entries: readonly Entry[], cap: number): readonly Entry[] | null {
  const page = takeFrom({ head: entries, last: entries.at(-1), whole: true }, END, entries.length)
  if (page?.state !== 'warm') return null
  const list = inOrder(page.ids, page.floor, cap)
  const same = list.length === entries.length && list.every((entry, i) => entry === entries[i])
  return same ? null : list
}

/**
 * The list that a build ends with: what was read from the Store (`ids`, newest first) and what was pushed
 * meanwhile. `complete`: nothing lies below `ids`. Empty when it would claim nothing: the list goes cold.
 * Null when the list is not (or no longer) the one that was begun with `token`.
 */
export function finished(
  entries: readonly Entry[],
  token: string,
  ids: readonly PostId[],
  complete: boolean,
  cap: number
): readonly Entry[] | null {
  if (entries.at(-1) !== buildEntry(token)) return null
  const floor = ids[cap] ?? (complete ? BEGINNING : ids.at(-1))
  if (floor === undefined) return []
  const pushed = entries.slice(0, -1).map(idOf)
  const merged = [...ids, ...pushed].filter(id => id > floor)
  return inOrder(newestFirst(merged), floor, cap)
}

/** In-time entries and the marker: over the cap, the first id that is dropped is the floor. */
function inOrder(ids: readonly PostId[], floor: PostId, cap: number): readonly Entry[] {
  return [...ids.slice(0, cap), floorEntry(ids[cap] ?? floor)]
}

interface Scan {
  /** `above` < id < `below`, as they were met, with repeats. */
  readonly ids: PostId[]
  /** The oldest in-time id. */
  readonly oldest: PostId | null
  readonly unsettled: boolean
}

function scan(entries: readonly Entry[], above: PostId, below: PostId): Scan {
  const ids: PostId[] = []
  let oldest = END
  let unsettled = false
  for (const entry of entries) {
    if (isFloor(entry)) break
    const late = isLate(entry)
    const id = late ? entry.slice(1) : entry
    if (late) unsettled = true
    else if (id < oldest) oldest = id
    if (id > above && id < below) ids.push(id)
  }
  return { ids, oldest: oldest === END ? null : oldest, unsettled }
}

/** Sorts in place and drops repeats; what is in order already, as most is, costs one pass. */
function newestFirst(ids: PostId[]): PostId[] {
  if (ids.every((id, i) => i === 0 || id < (ids[i - 1] ?? END))) return ids
  ids.sort((a, b) => (a < b ? 1 : a > b ? -1 : 0))
  let kept = 0
  for (const id of ids) if (kept === 0 || id !== ids[kept - 1]) ids[kept++] = id
  ids.length = kept
  return ids
}

function windowAbove(oldest: PostId | null): PostId | null {
  return oldest === null ? null : shiftId(oldest, WINDOW_MS)
}
