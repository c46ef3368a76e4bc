import { DAY_MS } from '../domain/limits.ts'
import type { Store } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { compareWarm } from './compare-warm.ts'
import { dropWrong } from './repair.ts'
import type { VerifyContext } from './verify-context.ts'

export interface SampleContext extends VerifyContext {
  readonly store: VerifyContext['store'] & Pick<Store, 'sampleReaders'>
  readonly telemetry: Telemetry
}

const SEEN_MS = DAY_MS
/** In one round. A check costs what a reader's scrolling over the seam does. */
const READERS = 3
const EXAMPLES = 5

/**
 * Compares the warm feeds of a few readers at random who were here lately. One that is wrong, and still is after a
 * settle, is dropped and told; all others are left as they are. Where events are not worked off nothing is judged.
 * Several at once do no harm: to drop a feed twice is to drop it.
 */
export async function sampleOnce(context: SampleContext): Promise<number> {
  for (const reader of await context.store.sampleReaders(SEEN_MS, READERS))
    await checkFeed(context, reader)
  return 0
}

async function checkFeed(context: SampleContext, reader: number): Promise<void> {
  const { store, telemetry } = context
  const findings = await compareWarm(context, reader)
  if (findings === null || findings.pending > 0) return
  telemetry.count('drift_checked_total')
  if (findings.differences.length === 0) return
  const posts = findings.differences.map(({ post }) => post)
  await dropWrong(context, reader, posts)
  const [user] = await store.usersByNumbers([reader])
  telemetry.count('drift_found_total')
  telemetry.log('error', 'a feed was wrong and was dropped', {
    reader: user?.id ?? `${reader}`,
    differences: posts.length,
    examples: findings.differences.slice(0, EXAMPLES)
  })
}
