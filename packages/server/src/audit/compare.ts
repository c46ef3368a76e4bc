import type { VerifyExample } from '@fanwise/sdk'
import type { PostId } from '../domain/post-id.ts'
import type { Walked } from './walk.ts'

export type Difference = Pick<VerifyExample, 'kind' | 'post'>

/** Ids that don't stand below the one before them, or stand there again. */
function misordered(ids: readonly PostId[]): PostId[] {
  return ids.filter((id, index) => {
    const previous = ids[index - 1]
    return previous !== undefined && id >= previous
  })
}

/**
 * What a walk shows wrongly. The oracle is read before and after it: what came or went meanwhile may be on the walk or
 * not, what stood there all the time must be.
 */
export function compareWalk(
  walked: Walked,
  before: readonly PostId[],
  after: readonly PostId[]
): Difference[] {
  const shown = new Set(walked.ids)
  const first = new Set(before)
  const last = new Set(after)
  const missing = before.filter(id => last.has(id) && !shown.has(id))
  const extra = [...shown].filter(id => !first.has(id) && !last.has(id))
  return [
    ...missing.map(post => ({ kind: 'missing' as const, post })),
    ...extra.map(post => ({ kind: 'extra' as const, post })),
    ...[...misordered(walked.ids), ...walked.stuck].map(post => ({
      kind: 'misordered' as const,
      post
    }))
  ]
}
