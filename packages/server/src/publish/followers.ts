import type { Feeds } from '../ports/feeds.ts'
import type { IdempotencyKey, RelationStore, RequestStore, Written } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import type { BackfillContext } from '../rebuild/backfill.ts'
import { attempt, insist } from './effects.ts'
import { backfillFollow } from './relations.ts'
import { checkPair } from './validate.ts'

export type FollowerChange = 'acceptRequest' | 'rejectRequest' | 'removeFollower'

interface FollowerContext extends BackfillContext {
  readonly store: BackfillContext['store'] &
    Pick<RequestStore, FollowerChange> &
    Pick<RelationStore, 'follows'>
  readonly feeds: BackfillContext['feeds'] & Pick<Feeds, 'dropRules'>
  readonly telemetry: Telemetry
}

/**
 * What an author decides about somebody who follows them or asks to. To the reader an accepted request is what a follow
 * is, and their removal what an unfollow is: the effects are the same.
 * @throws Problem self_relation, request_not_found, idempotency_conflict, unavailable (stored; repeatable)
 */
export async function changeFollower(
  context: FollowerContext,
  change: FollowerChange,
  author: number,
  reader: number,
  key?: IdempotencyKey
): Promise<Written<boolean>> {
  const { store, feeds, telemetry } = context
  checkPair(reader, author)
  const written = await store[change](author, reader, key)
  if (change === 'rejectRequest') return written
  await insist('dropping the cached rules', () => feeds.dropRules([reader]))
  if (change === 'acceptRequest')
    await attempt(telemetry, 'backfill', () => backfillFollow(context, { reader, author }, written))
  return written
}
