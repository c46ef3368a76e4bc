import type { Profile } from '../domain/user.ts'
import type { Feeds } from '../ports/feeds.ts'
import type { UserStore } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { attempt, insist } from './effects.ts'

export interface ImportedUser extends Partial<Profile> {
  readonly id: string
}

/** A user's number by the app's own id. */
export type Numbers = ReadonlyMap<string, number>

export interface UsersContext {
  readonly store: Pick<UserStore, 'putUsers' | 'usersByIds' | 'ensureUsers'>
  readonly feeds: Pick<Feeds, 'announce'>
  readonly telemetry: Telemetry
}

/** Creates or changes users; returns how many were made. @throws Problem unavailable (stored; repeatable) */
export async function importUsers(
  context: UsersContext,
  users: readonly ImportedUser[]
): Promise<number> {
  const { store, feeds, telemetry } = context
  if (users.length === 0) return 0
  const { created } = await store.putUsers(users)
  if (created === users.length) return created
  const announce = async () => {
    const changed = await store.usersByIds(users.map(({ id }) => id))
    await feeds.announce({ users: changed.map(({ number }) => number) })
  }
  if (users.some(({ visibility }) => visibility !== undefined))
    await insist('telling all servers', announce)
  else await attempt(telemetry, 'announce', announce)
  return created
}

/** The numbers of these users; those that nobody has created yet are made with an empty profile. */
export async function numbersOf(
  context: Pick<UsersContext, 'store'>,
  ids: ReadonlySet<string>
): Promise<{ readonly numbers: Numbers; readonly created: number }> {
  if (ids.size === 0) return { numbers: new Map(), created: 0 }
  const known = await context.store.usersByIds([...ids])
  const numbers = new Map(known.map(user => [user.id, user.number]))
  const missing = [...ids].filter(id => !numbers.has(id))
  if (missing.length > 0)
    for (const user of await context.store.ensureUsers(missing)) numbers.set(user.id, user.number)
  return { numbers, created: missing.length }
}

/** @throws Error when the id was not among those that were looked up. */
export function numberOf(numbers: Numbers, id: string): number {
  const number = numbers.get(id)
  if (number === undefined) throw new Error(`the user ${id} was not looked up`)
  return number
}
