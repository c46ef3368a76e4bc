import type { PageSources } from '@fanwise/sdk'
import type { PostId } from '../domain/post-id.ts'
import { compareWalk } from './compare.ts'
import { readOracle } from './oracle.ts'
import { type Findings, floorOf, idsMax, settled, type VerifyContext } from './verify-context.ts'
import { type PageSizes, type Walked, walkHome } from './walk.ts'

const LIMIT = 100
const SIZES: PageSizes = { first: LIMIT, warm: LIMIT, store: LIMIT }

interface Look extends Findings {
  /** How far the walk came. */
  readonly end: PostId
}

type WarmContext = Pick<VerifyContext, 'pager' | 'store' | 'feeds' | 'limits' | 'settle'>

/** Of two ids the one that was reached first on the way down. */
function higher(a: PostId, b: PostId): PostId {
  return a > b ? a : b
}

/** From the head over the seam: to the first page in which the Store has a part, in a bounded number of pages. */
function walkWarm(context: WarmContext, reader: number): Promise<Walked> {
  const pagesMax = Math.ceil(idsMax(context) / LIMIT) + 1
  const isEnough = (pages: PageSources) =>
    pages.store + pages.seam > 0 || pages.warm + pages.store + pages.seam >= pagesMax
  return walkHome(context.pager, reader, SIZES, { source: 'any', isEnough })
}

function compareAbove(
  walked: Walked,
  end: PostId,
  before: readonly PostId[],
  after: readonly PostId[]
): Look {
  const isAbove = (id: PostId) => id > end
  const part = { ...walked, ids: walked.ids.filter(isAbove) }
  const differences = compareWalk(part, before.filter(isAbove), after.filter(isAbove))
  return { end, pages: walked.pages, pending: 0, differences, newest: walked.ids }
}

/** The oracle is read only as far as the walk came, and once: what moved meanwhile is told from drift by a second look. */
async function look(context: WarmContext, reader: number): Promise<Look> {
  const walked = await walkWarm(context, reader)
  const oracle = await readOracle(context.store, reader, walked.end)
  return compareAbove(walked, walked.end, oracle, oracle)
}

async function lookAgain(context: WarmContext, reader: number, first: Look): Promise<Look> {
  const before = await readOracle(context.store, reader, first.end)
  const walked = await walkWarm(context, reader)
  const end = higher(first.end, walked.end)
  return compareAbove(walked, end, before, await readOracle(context.store, reader, end))
}

/**
 * Compares the warm feed as it stands, across its seam, with the oracle. Drops and builds nothing, and reads as much as
 * some pages do. Null when the feed is cold.
 */
export async function compareWarm(context: WarmContext, reader: number): Promise<Findings | null> {
  if ((await floorOf(context, `feed:${reader}`)) === null) return null
  return settled(
    context,
    () => look(context, reader),
    first => lookAgain(context, reader, first)
  )
}
