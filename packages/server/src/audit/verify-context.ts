import type { PageSources, VerifyExample } from '@fanwise/sdk'
import type { Limits } from '../domain/limits.ts'
import { END, type PostId } from '../domain/post-id.ts'
import type { Feeds, ListKey } from '../ports/feeds.ts'
import type { Store } from '../ports/store.ts'
import type { Difference } from './compare.ts'
import { addPages } from './report.ts'
import type { Pages } from './walk.ts'

/** More ids than one batch of pushes adds before a list is trimmed. */
const SPARE = 1000

export interface VerifyContext {
  /** Must not mend or build what it walks: a list that was wrong has to be wrong when it is walked again. */
  readonly pager: Pages
  readonly store: Pick<
    Store,
    'oracle' | 'rules' | 'usersByNumbers' | 'postsByIds' | 'wrongCounts' | 'recountThese'
  >
  readonly feeds: Pick<Feeds, 'take' | 'drop' | 'dropRules'>
  readonly limits: Pick<Limits, 'cap' | 'slack' | 'settleMs'>
  /** Resolves when the list is warm, or could not be made so. */
  readonly build: (list: ListKey) => Promise<unknown>
  /** Waits until all events so far are worked off: 0; after `timeoutMs` how many are left. */
  readonly settle: (timeoutMs: number) => Promise<number>
  /** How many events are left of those that came some time ago. Asked for each reader, so it seldom waits. */
  readonly pending: () => Promise<number>
}

export type WalkKind = VerifyExample['walk']

export interface Findings {
  readonly pages: PageSources
  readonly pending: number
  readonly differences: readonly Difference[]
  /** The newest ids that were shown. */
  readonly newest: readonly PostId[]
}

/** More ids than a list ever holds. */
export function idsMax({ limits }: Pick<VerifyContext, 'limits'>): number {
  return limits.cap + limits.slack + SPARE
}

/** Above which id the list is complete; null while it is not warm. */
export async function floorOf(
  context: Pick<VerifyContext, 'feeds' | 'limits'>,
  list: ListKey
): Promise<PostId | null> {
  // A list holds fewer ids than this, so its floor is told.
  const taken = await context.feeds.take(list, END, idsMax(context))
  return taken.state === 'warm' ? taken.floor : null
}

/**
 * Walks once if that finds nothing. A difference counts if it is still there after a settle: what is only on its way is
 * none.
 */
export async function settled<F extends Findings>(
  context: Pick<VerifyContext, 'settle' | 'limits'>,
  look: () => Promise<F>,
  lookAgain: (first: F) => Promise<Findings>
): Promise<F> {
  const first = await look()
  if (first.differences.length === 0) return first
  const pending = await context.settle(context.limits.settleMs)
  const second = await lookAgain(first)
  const name = (one: Difference) => `${one.kind} ${one.post}`
  const still = new Set(second.differences.map(name))
  return {
    ...first,
    pages: addPages(first.pages, second.pages),
    pending,
    differences: first.differences.filter(one => still.has(name(one)))
  }
}
