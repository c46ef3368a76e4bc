import { Problem } from '../../../domain/errors.ts'
import type { Limits } from '../../../domain/limits.ts'
import type { User, UserStatus } from '../../../domain/user.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { PostIds } from './post-ids.ts'
import type { Tables, UserRow } from './tables.ts'
import type { Transactions } from './transactions.ts'

/** What the parts of the Store share. */
export interface Context {
  readonly clock: Clock
  readonly tables: Tables
  readonly transactions: Transactions
  readonly ids: PostIds
  readonly limits: Pick<Limits, 'followsMax' | 'requestsMax' | 'rulesMax'>
  /** Draws the next number of users, or of relations and cuts. Never given back, also by what fails. */
  next(sequence: 'user' | 'relation'): number
}

export function isActive(tables: Tables, user: number): boolean {
  return tables.users.get(user)?.status === 'active'
}

/** @throws Problem user_not_found, account_suspended, account_gone unless the user may write. */
export function mayWrite(tables: Tables, user: number): void {
  const status: UserStatus | undefined = tables.users.get(user)?.status
  if (status === 'active') return
  if (status === 'suspended') throw new Problem('account_suspended', undefined, { user })
  if (status === 'gone') throw new Problem('account_gone', undefined, { user })
  throw new Problem('user_not_found', `There is no user with the number ${user}.`, { user })
}

/** @throws Problem user_not_found unless the user can be followed, blocked or muted. */
export function mustExist(tables: Tables, user: number): void {
  const status = tables.users.get(user)?.status
  if (status === undefined || status === 'gone')
    throw new Problem('user_not_found', undefined, { user })
}

const NO_COUNTS = { followers: 0, following: 0, posts: 0 }

export function toUser(tables: Tables, row: UserRow): User {
  const { lastSeenAt: _, ...shown } = row
  return { ...shown, counts: tables.userCounts.get(row.number) ?? NO_COUNTS }
}
