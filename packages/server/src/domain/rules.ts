import { BEGINNING, type PostId } from './post-id.ts'

/**
 * What filters one reader's pages, and whose timelines are merged into them.
 * Users are numbers. The reader's own posts are never filtered by author.
 */
export interface Rules {
  /** Either direction. */
  readonly blocks: ReadonlySet<number>
  readonly mutes: ReadonlySet<number>
  /** Authors unfollowed lately: their ids may still stand in the feed. */
  readonly cuts: ReadonlySet<number>
  readonly hides: ReadonlySet<PostId>
  /** Followees that are not in `push`, and how far: posts up to this id may be missing from pushed feeds. */
  readonly pulled: ReadonlyMap<number, PostId>
}

/** An author is merged into a feed as long as something above the feed's floor may not have been pushed. */
export function isMerged(pulledUntil: PostId, floor: PostId): boolean {
  return pulledUntil > floor
}

/** Whether the rules hide an author from the reader's feed. */
export function hidesAuthor(rules: Rules, reader: number, author: number): boolean {
  if (author === reader) return false
  return rules.blocks.has(author) || rules.mutes.has(author) || rules.cuts.has(author)
}

export const NO_RULES: Rules = {
  blocks: new Set(),
  mutes: new Set(),
  cuts: new Set(),
  hides: new Set(),
  pulled: new Map()
}

/** Pulled without an end: the author is in `both` or `pull` now. */
export const PULLED_NOW: PostId = '9999999999999999999'

/** Never pulled. */
export const NEVER_PULLED: PostId = BEGINNING
