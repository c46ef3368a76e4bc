import type { Limits } from '../domain/limits.ts'
import type { Profile, User, UserStatus } from '../domain/user.ts'
import type { Feeds } from '../ports/feeds.ts'
import type { IdempotencyKey, UserStore, Written } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { type DropFeedsContext, dropFeeds } from './drop-feeds.ts'
import { attempt, insist } from './effects.ts'
import { checkProfile } from './validate.ts'

interface ProfileContext {
  readonly store: Pick<UserStore, 'putUser'>
  readonly feeds: Pick<Feeds, 'announce'>
  readonly limits: Limits
  readonly telemetry: Telemetry
}

/** @throws Problem invalid_text, invalid_request, idempotency_conflict, account_gone */
export async function putUser(
  context: ProfileContext,
  id: string,
  change: Partial<Profile>,
  key?: IdempotencyKey
): Promise<Written<User>> {
  const { store, feeds, limits, telemetry } = context
  checkProfile(change, limits)
  const written = await store.putUser(id, change, key)
  await attempt(telemetry, 'announce', () => feeds.announce({ users: [written.value.number] }))
  return written
}

interface StatusContext extends DropFeedsContext {
  readonly store: DropFeedsContext['store'] & Pick<UserStore, 'setStatus'>
  readonly feeds: DropFeedsContext['feeds'] & Pick<Feeds, 'announce'>
}

/**
 * Suspends, lifts a suspension, or deletes an account for good. A feed that was built during a suspension lacks the
 * user's posts, so lifting it drops the feeds that should hold them.
 * @throws Problem account_gone, idempotency_conflict, unavailable (stored; repeatable)
 */
export async function setStatus(
  context: StatusContext,
  user: number,
  status: UserStatus,
  key?: IdempotencyKey
): Promise<Written<User>> {
  const written = await context.store.setStatus(user, status, key)
  if (status === 'active') await insist('dropping feeds', () => dropFeeds(context, user))
  await insist('telling all servers', () => context.feeds.announce({ users: [user] }))
  return written
}
