import { Problem } from '../domain/errors.ts'
import { isTransient } from '../domain/is-transient.ts'
import type { Telemetry } from '../ports/telemetry.ts'

/** Without the Store there is no page. What is not a failure of it surfaces as it is. @throws Problem unavailable */
export async function reachStore<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof Problem || !isTransient(error)) throw error
    throw new Problem('unavailable', undefined, {}, { cause: error })
  }
}

/** Feeds only save time: null when they fail, and then the Store is read. */
export async function reachFeeds<T>(
  telemetry: Telemetry,
  read: () => Promise<T>
): Promise<T | null> {
  try {
    return await read()
  } catch (error) {
    telemetry.count('page_feeds_failures_total')
    telemetry.log('debug', 'Feeds failed; the page is read from the Store', { error })
    return null
  }
}
