import type { VerifyExample, VerifyQuery, VerifyReport } from '@fanwise/sdk'
import type { PostId } from '../domain/post-id.ts'
import { compareWalk } from './compare.ts'
import { compareCounts } from './compare-counts.ts'
import { compareWarm } from './compare-warm.ts'
import { readOracle } from './oracle.ts'
import { dropWrong } from './repair.ts'
import { addPages, reportOf, reportOfCounts } from './report.ts'
import {
  type Findings,
  floorOf,
  settled,
  type VerifyContext,
  type WalkKind
} from './verify-context.ts'
import { type PageSizes, walkHome } from './walk.ts'
import { warmUp } from './warm-up.ts'

/** Small, so that a page lies across the seam; and so that what is warm is many pages. */
const WARM_LIMIT = 5
const STORE_LIMIT = 500

/** What all walks of one reader found. */
interface Judged extends Findings {
  readonly cold: number
  readonly examples: readonly Omit<VerifyExample, 'reader'>[]
}

/** Chosen so that the last item above the floor is not the last of its page: the next page lies across the seam. */
async function sizesFor(
  context: VerifyContext,
  reader: number,
  kind: WalkKind,
  oracle: readonly PostId[]
): Promise<PageSizes> {
  if (kind === 'store') return { first: STORE_LIMIT, warm: STORE_LIMIT, store: STORE_LIMIT }
  const floor = await floorOf(context, `feed:${reader}`)
  const above = floor === null ? 0 : oracle.filter(id => id > floor).length
  const first = above % WARM_LIMIT === 0 ? WARM_LIMIT - 2 : WARM_LIMIT
  return { first, warm: WARM_LIMIT, store: STORE_LIMIT }
}

async function walkOnce(context: VerifyContext, reader: number, kind: WalkKind): Promise<Findings> {
  const before = await readOracle(context.store, reader)
  const sizes = await sizesFor(context, reader, kind, before)
  const source = kind === 'store' ? 'store' : 'any'
  const walked = await walkHome(context.pager, reader, sizes, { source })
  const after = await readOracle(context.store, reader)
  const differences = compareWalk(walked, before, after)
  return { pages: walked.pages, pending: 0, differences, newest: walked.ids }
}

function walkOfKind(context: VerifyContext, reader: number, kind: WalkKind): Promise<Findings> {
  const walk = () => walkOnce(context, reader, kind)
  return settled(context, walk, walk)
}

function judged(cold: number, walks: Partial<Record<WalkKind, Findings>>): Judged {
  const all = Object.values(walks)
  return {
    cold,
    pages: all.map(({ pages }) => pages).reduce(addPages, { warm: 0, store: 0, seam: 0 }),
    pending: Math.max(0, ...all.map(({ pending }) => pending)),
    differences: all.flatMap(({ differences }) => differences),
    newest: all.at(-1)?.newest ?? [],
    examples: Object.entries(walks).flatMap(([walk, { differences }]) =>
      differences.map(one => ({ walk: walk as WalkKind, ...one }))
    )
  }
}

/** As it stands, be it cold; from the Store alone after it was evicted; and rebuilt. */
async function judgeWhole(context: VerifyContext, reader: number): Promise<Judged> {
  const cold = (await floorOf(context, `feed:${reader}`)) === null ? 1 : 0
  const warm = await walkOfKind(context, reader, 'warm')
  await context.feeds.drop([`feed:${reader}`])
  const store = await walkOfKind(context, reader, 'store')
  await warmUp(context, reader)
  const rebuilt = await walkOfKind(context, reader, 'rebuilt')
  return judged(cold, { warm, store, rebuilt })
}

async function judgeWarm(context: VerifyContext, reader: number): Promise<Judged> {
  const warm = await compareWarm(context, reader)
  return warm === null ? judged(1, {}) : judged(0, { warm })
}

/** Drops and builds what is wrong. Returns what is wrong then. */
async function repaired(
  context: VerifyContext,
  reader: number,
  found: Judged,
  judge: () => Promise<Judged>
): Promise<Judged> {
  await dropWrong(
    context,
    reader,
    found.differences.map(({ post }) => post)
  )
  await warmUp(context, reader)
  return judge()
}

/**
 * Compares the reader's feed with the oracle: as it stands, evicted, and rebuilt; or (`only: 'warm'`) just as it stands
 * while it is warm, which drops nothing. Displayed counts are compared with their rows. With `repair`, what is wrong is
 * made anew and compared again. Events on their way are waited for where there is a difference. May run while people
 * read and write.
 */
export async function verifyReader(
  context: VerifyContext,
  reader: number,
  { only, repair = false }: VerifyQuery = {}
): Promise<VerifyReport> {
  const judge = () => (only === 'warm' ? judgeWarm : judgeWhole)(context, reader)
  const [waiting, found] = await Promise.all([context.pending(), judge()])
  const isRepaired = repair && found.differences.length > 0
  const after = isRepaired ? await repaired(context, reader, found, judge) : found
  const [user] = await context.store.usersByNumbers([reader])
  const id = user?.id ?? `${reader}`
  const counts = await compareCounts(context.store, reader, found.newest, repair)
  const examples = found.examples.map(one => ({ reader: id, ...one }))
  const { cold, pages } = found
  const pending = Math.max(waiting, found.pending, after.pending)
  const report = { cold, pages, pending, counts: reportOfCounts(id, counts) }
  return reportOf(report, examples, after.differences.length === 0)
}
