import type { Clock } from '../../ports/clock.ts'
import { RedisFailure } from './failure.ts'
import type { Link } from './link.ts'

export interface Deadline {
  readonly clock: Pick<Clock, 'sleep'>
  readonly timeoutMs: number
}

/** Rejects with an `unknown` RedisFailure when `work` takes longer. */
export async function withDeadline<T>(work: Promise<T>, deadline: Deadline): Promise<T> {
  const stop = new AbortController()
  const over = deadline.clock.sleep(deadline.timeoutMs, stop.signal).then(() => {
    throw new RedisFailure('unknown', `Redis did not answer within ${deadline.timeoutMs} ms`)
  })
  try {
    return await Promise.race([work, over])
  } finally {
    over.catch(() => {})
    stop.abort()
  }
}

/** A link that is closed when one answer takes longer. */
export function withinDeadline(link: Link, deadline: Deadline): Link {
  const send = async (args: readonly string[]) => {
    try {
      return await withDeadline(link.send(args), deadline)
    } catch (error) {
      if (error instanceof RedisFailure && error.kind === 'unknown') link.close()
      throw error
    }
  }
  return {
    send,
    get open() {
      return link.open
    },
    lost: link.lost,
    close: () => link.close()
  }
}
