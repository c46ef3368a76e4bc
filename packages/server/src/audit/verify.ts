import type { PageSources, VerifyExample, VerifyReport } from '@fanwise/sdk'
import type { Limits } from '../domain/limits.ts'
import { END, type PostId } from '../domain/post-id.ts'
import { isMerged } from '../domain/rules.ts'
import type { Feeds, ListKey } from '../ports/feeds.ts'
import type { Store } from '../ports/store.ts'
import { compareWalk, type Difference } from './compare.ts'
import { readOracle } from './oracle.ts'
import { addPages, reportOf } from './report.ts'
import { type PageSizes, type Pages, walkHome } from './walk.ts'

/** Small, so that a page lies across the seam; and so that what is warm is many pages. */
const WARM_LIMIT = 5
const STORE_LIMIT = 500
/** More ids than one batch of pushes adds before a list is trimmed. */
const SPARE = 1000

export interface VerifyContext {
  /** Must not mend or build what it walks: a list that was wrong has to be wrong when it is walked again. */
  readonly pager: Pages
  readonly store: Pick<Store, 'oracle' | 'rules' | 'usersByNumbers'>
  readonly feeds: Pick<Feeds, 'take' | 'drop'>
  readonly limits: Pick<Limits, 'cap' | 'slack' | 'settleMs'>
  /** Resolves when the list is warm, or could not be made so. */
  readonly build: (list: ListKey) => Promise<unknown>
  /** Waits until all events so far are worked off: 0; after `timeoutMs` how many are left. */
  readonly settle: (timeoutMs: number) => Promise<number>
}

type Kind = VerifyExample['walk']

interface Findings {
  readonly pages: PageSources
  readonly pending: number
  readonly differences: readonly Difference[]
}

async function floorOf(context: VerifyContext, list: ListKey): Promise<PostId | null> {
  // A list holds fewer ids than this, so its floor is told.
  const limit = context.limits.cap + context.limits.slack + SPARE
  const taken = await context.feeds.take(list, END, limit)
  return taken.state === 'warm' ? taken.floor : null
}

/** Builds the reader's feed, and the timelines that are merged into it, as far as they are cold. */
async function warmUp(context: VerifyContext, reader: number): Promise<void> {
  const feed: ListKey = `feed:${reader}`
  if ((await floorOf(context, feed)) === null) await context.build(feed)
  const floor = await floorOf(context, feed)
  if (floor === null) return
  const { pulled } = await context.store.rules(reader)
  for (const [author, until] of pulled) {
    const timeline: ListKey = `timeline:${author}`
    if (!isMerged(until, floor)) continue
    if ((await context.feeds.take(timeline, END, 1)).state === 'cold') await context.build(timeline)
  }
}

/** Chosen so that the last item above the floor is not the last of its page: the next page lies across the seam. */
async function sizesFor(
  context: VerifyContext,
  reader: number,
  kind: Kind,
  oracle: readonly PostId[]
): Promise<PageSizes> {
  if (kind === 'store') return { first: STORE_LIMIT, warm: STORE_LIMIT, store: STORE_LIMIT }
  const floor = await floorOf(context, `feed:${reader}`)
  const above = floor === null ? 0 : oracle.filter(id => id > floor).length
  const first = above % WARM_LIMIT === 0 ? WARM_LIMIT - 2 : WARM_LIMIT
  return { first, warm: WARM_LIMIT, store: STORE_LIMIT }
}

async function walkOnce(context: VerifyContext, reader: number, kind: Kind): Promise<Findings> {
  const before = await readOracle(context.store, reader)
  const sizes = await sizesFor(context, reader, kind, before)
  const source = kind === 'store' ? 'store' : 'any'
  const walked = await walkHome(context.pager, reader, sizes, source)
  const after = await readOracle(context.store, reader)
  return { pages: walked.pages, pending: 0, differences: compareWalk(walked, before, after) }
}

/** A difference counts if it is still there after a settle: what is only on its way is none. */
async function walkOfKind(context: VerifyContext, reader: number, kind: Kind): Promise<Findings> {
  const first = await walkOnce(context, reader, kind)
  if (first.differences.length === 0) return first
  const pending = await context.settle(context.limits.settleMs)
  const second = await walkOnce(context, reader, kind)
  const name = (one: Difference) => `${one.kind} ${one.post}`
  const still = new Set(second.differences.map(name))
  return {
    pages: addPages(first.pages, second.pages),
    pending,
    differences: first.differences.filter(one => still.has(name(one)))
  }
}

/**
 * Compares the reader's feed with the oracle three times: as it stands, be it cold; from the Store alone after it was
 * evicted; and rebuilt. Events on their way are waited for. May run while people read and write.
 */
export async function verifyReader(context: VerifyContext, reader: number): Promise<VerifyReport> {
  const pending = await context.settle(context.limits.settleMs)
  const cold = (await floorOf(context, `feed:${reader}`)) === null ? 1 : 0
  const warm = await walkOfKind(context, reader, 'warm')
  await context.feeds.drop([`feed:${reader}`])
  const store = await walkOfKind(context, reader, 'store')
  await warmUp(context, reader)
  const rebuilt = await walkOfKind(context, reader, 'rebuilt')
  const [user] = await context.store.usersByNumbers([reader])
  const found = Object.entries({ warm, store, rebuilt }).flatMap(([walk, { differences }]) =>
    differences.map(one => ({ reader: user?.id ?? `${reader}`, walk: walk as Kind, ...one }))
  )
  const walks = [warm, store, rebuilt]
  const pages = walks.map(findings => findings.pages).reduce(addPages)
  const left = Math.max(pending, ...walks.map(findings => findings.pending))
  return reportOf({ cold, pages, pending: left }, found)
}
