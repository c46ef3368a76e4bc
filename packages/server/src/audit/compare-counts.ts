import type { PostId } from '../domain/post-id.ts'
import type { RecountStore, WrongCount } from '../ports/recount.ts'

/** Posts whose likes are compared: the newest that the reader is shown. */
const POSTS = 20
/** Followers, following, posts. */
const OF_USER = 3
/** A count that a flush moves at this moment is left to another round. */
const ROUNDS = 3

export interface CountFindings {
  readonly checked: number
  readonly wrong: readonly WrongCount[]
  /** What is still wrong after the repair; all, where none was asked for. */
  readonly left: readonly WrongCount[]
}

/** Compares the reader's own counts, and the likes of some posts, with the rows behind them. */
export async function compareCounts(
  store: Pick<RecountStore, 'wrongCounts' | 'recountThese'>,
  reader: number,
  shown: readonly PostId[],
  repair: boolean
): Promise<CountFindings> {
  const posts = [...new Set(shown)].slice(0, POSTS)
  const checked = OF_USER + posts.length
  const wrong = await store.wrongCounts([reader], posts)
  let left = wrong
  for (let round = 0; repair && left.length > 0 && round < ROUNDS; round++) {
    await store.recountThese([reader], posts)
    left = await store.wrongCounts([reader], posts)
  }
  return { checked, wrong, left }
}
