import type { Limits } from '../domain/limits.ts'
import type { Profile, User, UserStatus } from '../domain/user.ts'
import type { Feeds } from '../ports/feeds.ts'
import type { IdempotencyKey, UserStore, Written } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { acceptOpened, type OpenedContext } from './accept-opened.ts'
import { attempt, insist } from './effects.ts'
import { checkProfile } from './validate.ts'

interface ProfileContext extends OpenedContext {
  readonly store: OpenedContext['store'] & Pick<UserStore, 'putUser'>
  readonly feeds: OpenedContext['feeds'] & Pick<Feeds, 'announce'>
  readonly limits: Limits
  readonly telemetry: Telemetry
}

/**
 * Whom an account turns private to must not see its posts any more once this is answered: no server may keep what it
 * was. One that turns public accepts who asked; the janitor goes on with what is too much for an answer.
 * @throws Problem invalid_text, invalid_request, idempotency_conflict, account_gone, unavailable (stored; repeatable)
 */
export async function putUser(
  context: ProfileContext,
  id: string,
  change: Partial<Profile>,
  key?: IdempotencyKey
): Promise<Written<User>> {
  const { store, feeds, limits, telemetry } = context
  checkProfile(change, limits)
  const written = await store.putUser(id, change, key)
  const { number } = written.value
  const announce = () => feeds.announce({ users: [number] })
  if (change.visibility === undefined) await attempt(telemetry, 'announce', announce)
  else await insist('telling all servers', announce)
  if (change.visibility === 'public')
    await attempt(telemetry, 'accept', () => acceptOpened(context, number))
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
