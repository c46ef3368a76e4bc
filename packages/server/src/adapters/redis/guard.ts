import type { Clock } from '../../ports/clock.ts'
import type { Keys } from './keys.ts'
import type { Link } from './link.ts'

/**
 * Old is worse than empty: a promoted replica, or a server started from an old snapshot, lacks the last writes and
 * does not know it. The guard key holds the identity (run id, replication id) of the server whose data are known
 * good. Who finds another identity, or none, empties the server before it serves: one does, the others wait.
 */
export interface GuardOptions {
  readonly link: Pick<Link, 'send'>
  readonly clock: Pick<Clock, 'sleep' | 'random'>
  readonly keys: Keys
  readonly tag: number
  readonly identity: string
  /** The database has nothing but ours: it is flushed instead of searched. */
  readonly ownsDatabase: boolean
  readonly signal: AbortSignal
}

const GUARD_MS = 7 * 86_400_000
const LOCK_MS = 30_000
const POLL_MS = 50
const SCAN_COUNT = 1000

/** Resolves when the server is known good; true when this call emptied it. Rejects with RedisFailure. */
export async function bless(options: GuardOptions): Promise<boolean> {
  const { link, clock, keys, tag, identity, signal } = options
  const lock = `${keys.guard(tag)}:${identity}`
  const token = String(clock.random())
  const isGood = async () => (await link.send(['GET', keys.guard(tag)])) === identity
  while (!signal.aborted) {
    if (await isGood()) return false
    if ((await link.send(['SET', lock, token, 'NX', 'PX', String(LOCK_MS)])) === 'OK') {
      // Whoever had the lock before may have emptied it since the guard was read.
      if (await isGood()) return false
      const kept = () => link.send(['PEXPIRE', lock, String(LOCK_MS)])
      await (options.ownsDatabase ? link.send(['FLUSHDB']) : removeOurs(link, keys, kept))
      await keepBlessed(options, true)
      await link.send(['UNLINK', lock])
      return true
    }
    await clock.sleep(POLL_MS, signal)
  }
  throw new Error('Closed')
}

/** Renews the guard of a server that is known good; `over` tells whether another identity may stand there. */
export async function keepBlessed(
  { link, keys, tag, identity }: Pick<GuardOptions, 'link' | 'keys' | 'tag' | 'identity'>,
  over: boolean
): Promise<void> {
  const set = ['SET', keys.guard(tag), identity, 'PX', String(GUARD_MS)]
  await link.send(over ? set : [...set, 'NX'])
}

/** Removes our lists and rules from one server. What was there when it began is gone when it resolves. */
export async function removeOurs(
  link: Pick<Link, 'send'>,
  keys: Keys,
  onStep?: () => Promise<unknown>
): Promise<void> {
  let cursor = '0'
  do {
    const found = await scan(link, keys, cursor)
    cursor = found.cursor
    // One key each: in a Cluster a command may name one slot only.
    const gone = found.keys.filter(keys.isOurs).map(key => link.send(['UNLINK', key]))
    const results = await Promise.allSettled(gone)
    for (const result of results) if (result.status === 'rejected') assertElsewhere(result.reason)
    await onStep?.()
  } while (cursor !== '0')
}

export async function scan(
  link: Pick<Link, 'send'>,
  keys: Keys,
  cursor: string
): Promise<{ cursor: string; keys: readonly string[] }> {
  const args = ['SCAN', cursor, 'MATCH', keys.pattern, 'COUNT', String(SCAN_COUNT)]
  const [next, found] = (await link.send(args)) as [string, readonly string[]]
  return { cursor: next, keys: found }
}

/** A key whose slot is another node's cannot be read here. */
function assertElsewhere(error: unknown): void {
  const kind = error instanceof Error && 'kind' in error ? error.kind : undefined
  if (kind !== 'moved' && kind !== 'ask') throw error
}
