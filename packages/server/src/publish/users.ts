import type { Limits } from '../domain/limits.ts'
import type { Profile, User, UserStatus } from '../domain/user.ts'
import type { Feeds } from '../ports/feeds.ts'
import type { IdempotencyKey, UserStore, Written } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
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

interface StatusContext {
  readonly store: Pick<UserStore, 'setStatus'>
  readonly feeds: Pick<Feeds, 'announce'>
}

/**
 * Suspends, lifts a suspension, or deletes an account for good. Lists keep the posts of who is suspended and pages
 * filter them, so no list has to change.
 * @throws Problem account_gone, idempotency_conflict, unavailable (stored; repeatable)
 */
export async function setStatus(
  context: StatusContext,
  user: number,
  status: UserStatus,
  key?: IdempotencyKey
): Promise<Written<User>> {
  const written = await context.store.setStatus(user, status, key)
  await insist('telling all servers', () => context.feeds.announce({ users: [user] }))
  return written
}
