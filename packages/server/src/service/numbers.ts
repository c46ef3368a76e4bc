import type { FeedQuery } from '@fanwise/sdk'
import { Problem } from '../domain/errors.ts'
import type { Limits } from '../domain/limits.ts'
import { LIMIT_DEFAULT } from './pages.ts'

/** Posts that pages number. */
const NUMBERED_MAX = 10_000

export interface Numbers {
  readonly page: number
  readonly size: number
  readonly snapshot: string | null
}

/** Which page a query asks for by its number; null: by none. @throws Problem invalid_bounds, invalid_request */
export function numbersOf(
  { numberedPages }: Pick<Limits, 'numberedPages'>,
  query: FeedQuery
): Numbers | null {
  const { page, size = LIMIT_DEFAULT, snapshot } = query
  if (page === undefined) {
    if (query.size === undefined && snapshot === undefined) return null
    throw new Problem('invalid_bounds', 'size and snapshot go with page.')
  }
  if (!numberedPages)
    throw new Problem(
      'invalid_request',
      'page: this server does not number pages; go on with nextCursor.'
    )
  const { limit, cursor, after, before, known } = query
  if ([limit, cursor, after, before, known].some(other => other !== undefined))
    throw new Problem('invalid_bounds', 'page goes with size and snapshot alone.')
  if (page * size > NUMBERED_MAX)
    throw new Problem(
      'invalid_bounds',
      `page ${page} of ${size} lies beyond the first ${NUMBERED_MAX} posts; go on with nextCursor.`
    )
  return { page, size, snapshot: snapshot ?? null }
}
