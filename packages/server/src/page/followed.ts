import type { Store } from '../ports/store.ts'
import { reachStore } from './reach.ts'

/**
 * Those of some authors whom the reader follows, and themselves. From the primary: a follow that ended or was accepted
 * counts at once. @throws Problem unavailable
 */
export async function followedBy(
  store: Pick<Store, 'follows'>,
  reader: number,
  authors: readonly number[]
): Promise<ReadonlySet<number>> {
  const asked = authors.filter(author => author !== reader)
  const pairs = asked.map(author => ({ reader, author }))
  const follows = pairs.length > 0 ? await reachStore(() => store.follows(pairs)) : []
  const others = asked.filter((_, index) => follows[index])
  return new Set(authors.includes(reader) ? [reader, ...others] : others)
}
