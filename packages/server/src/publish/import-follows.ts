import type { Feeds } from '../ports/feeds.ts'
import type { RelationStore } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { type BackfillManyContext, backfillMany } from '../rebuild/backfill-many.ts'
import { attempt, insist } from './effects.ts'
import { type Numbers, numberOf } from './import-users.ts'

export interface ImportedFollow {
  readonly follower: string
  readonly followee: string
}

export interface FollowsContext extends BackfillManyContext {
  readonly store: BackfillManyContext['store'] & Pick<RelationStore, 'followMany' | 'follows'>
  readonly feeds: BackfillManyContext['feeds'] & Pick<Feeds, 'dropRules'>
  readonly telemetry: Telemetry
}

/** Follows many; those that stand in the end are new or were there. Rules are dropped for old ones too: their first request may have died before. */
export async function importFollows(
  context: FollowsContext,
  follows: readonly ImportedFollow[],
  numbers: Numbers
): Promise<{ readonly added: number; readonly skipped: number }> {
  const { store, feeds, telemetry } = context
  if (follows.length === 0) return { added: 0, skipped: 0 }
  const pairs = follows.map(({ follower, followee }) => ({
    reader: numberOf(numbers, follower),
    author: numberOf(numbers, followee)
  }))
  const added = await store.followMany(pairs)
  const readers = new Set(pairs.map(({ reader }) => reader))
  await insist('dropping the cached rules', () => feeds.dropRules([...readers]))
  await attempt(telemetry, 'backfill', () => backfillMany(context, added))
  const stand = await store.follows(pairs)
  return { added: added.length, skipped: stand.filter(stands => !stands).length }
}
