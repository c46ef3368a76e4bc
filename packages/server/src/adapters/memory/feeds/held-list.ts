import {
  firstRead,
  keptLength,
  type ListPage,
  longerRead,
  takeFrom
} from '../../../domain/arrival-list.ts'
import type { Entry } from '../../../domain/entry.ts'
import type { PostId } from '../../../domain/post-id.ts'
import type { Expiring } from './expiring-lru.ts'

/**
 * Estimates, on the high side: 8 bytes for the place in the array, 40 for the text, though the
 * feeds that a post is pushed to share one text; and for a list its key, its record and its place in the map.
 */
export const ENTRY_BYTES = 48
export const LIST_BYTES = 300

/** A list in arrival order. The newest entry stands last, so that a push is cheap. */
export interface HeldList extends Expiring {
  entries: Entry[]
}

export function listBytes(entries: readonly Entry[]): number {
  return LIST_BYTES + entries.length * ENTRY_BYTES
}

/** From entries head first. */
export function holdList(headFirst: readonly Entry[], expiresAt: number): HeldList {
  return { entries: headFirst.toReversed(), bytes: listBytes(headFirst), expiresAt }
}

export function headFirst({ entries }: HeldList): readonly Entry[] {
  return entries.toReversed()
}

/** Trims as well. */
export function pushEntry({ entries }: HeldList, entry: Entry, cap: number, slack: number): void {
  entries.push(entry)
  const kept = keptLength(entries.length, cap, slack)
  if (kept < entries.length) entries.splice(0, entries.length - kept)
}

export function takePage(list: HeldList | undefined, below: PostId, limit: number): ListPage {
  const entries = list?.entries ?? []
  for (let length = firstRead(limit); ; length = longerRead(length)) {
    const head = entries.slice(-length).reverse()
    const whole = head.length === entries.length
    const page = takeFrom({ head, last: entries[0], whole }, below, limit)
    if (page !== null) return page
  }
}
