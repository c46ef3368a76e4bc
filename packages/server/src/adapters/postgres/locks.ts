/** Namespaces of advisory locks. A lock is (namespace, number). */
export const LANE_LOCK = 7001
export const FOLLOW_MANY_LOCK = 7002
export const READER_LOCK = 7003
export const PAIR_LOCK = 7004
export const FLUSH_LOCK = 7005
export const MIGRATE_LOCK = 7006
export const PARTITION_LOCK = 7007
export const AUTHOR_LOCK = 7008

export interface Lock {
  readonly space: number
  readonly number: number
}

/** Locks on users are striped, so that a large batch cannot fill the server's lock table. */
export const STRIPES = 512

export function readerLock(reader: number): Lock {
  return { space: READER_LOCK, number: reader % STRIPES }
}

/**
 * Shared by those who ask an account to follow it; alone for who lets it turn public. Requests queue for it fairly, and
 * the row of the account stays free for its counts.
 */
export function authorLock(author: number): Lock {
  return { space: AUTHOR_LOCK, number: author % STRIPES }
}

/** The same for (a, b) and (b, a): follow, unfollow and block of two users come one after the other. */
export function pairLock(a: number, b: number): Lock {
  const low = Math.min(a, b) % 65_536
  const high = Math.max(a, b) % 65_536
  return { space: PAIR_LOCK, number: (low * 40_503 + high) % STRIPES }
}

/** Without repeats and in one order, so that two holders never wait for each other. */
export function inOrder(locks: readonly Lock[]): readonly Lock[] {
  const distinct = new Map(locks.map(lock => [`${lock.space}:${lock.number}`, lock]))
  return [...distinct.values()].sort((a, b) => a.space - b.space || a.number - b.number)
}
