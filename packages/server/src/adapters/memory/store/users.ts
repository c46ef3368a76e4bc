import { Problem } from '../../../domain/errors.ts'
import { HOUR_MS } from '../../../domain/limits.ts'
import type { Profile, User, UserStatus } from '../../../domain/user.ts'
import type { UserStore } from '../../../ports/store.ts'
import { type Context, toUser } from './context.ts'
import type { UserRow } from './tables.ts'
import type { Transaction } from './transactions.ts'

const SEEN_MS = 6 * HOUR_MS
const WORDLESS = { name: null, avatar: null, attributes: {} }
const EMPTY: Profile = { ...WORDLESS, visibility: 'public' }

type Change = Partial<Profile> & { readonly id: string }

/** A user's row. */
export function lock(id: string): string {
  return `user ${id}`
}

const about = (user: User) => user.number

function put(context: Context, tx: Transaction, row: UserRow): User {
  const { tables } = context
  tx.change(() => {
    tables.users.set(row.number, row)
    tables.numbers.set(row.id, row.number)
  })
  return toUser(tables, row)
}

/** The fields that are given. */
function profileOf({ name, avatar, attributes, visibility }: Partial<Profile>): Partial<Profile> {
  return {
    ...(name !== undefined && { name }),
    ...(avatar !== undefined && { avatar }),
    ...(attributes !== undefined && { attributes }),
    ...(visibility !== undefined && { visibility })
  }
}

function make(context: Context, tx: Transaction, id: string, profile: Partial<Profile>): User {
  const number = context.next('user')
  const made = { number, id, version: 1, status: 'active', createdAt: tx.now } as const
  return put(context, tx, { ...EMPTY, ...profileOf(profile), ...made, lastSeenAt: null })
}

function rowOf({ tables }: Context, id: string): UserRow | undefined {
  return tables.users.get(tables.numbers.get(id) ?? 0)
}

/** Absent fields stay; an equal profile is no change. */
function change(context: Context, tx: Transaction, row: UserRow, given: Partial<Profile>): User {
  const { tables } = context
  const { name, avatar, attributes, visibility } = row
  const now = { name, avatar, attributes, visibility }
  const wanted = { ...now, ...profileOf(given) }
  if (JSON.stringify(wanted) === JSON.stringify(now)) return toUser(tables, row)
  if (visibility === 'private' && wanted.visibility === 'public') {
    const until = context.next('relation')
    tx.change(() => tables.openings.set(row.number, until))
  }
  tx.emit({ type: 'user', author: row.number })
  return put(context, tx, { ...row, ...wanted, version: row.version + 1 })
}

/** Gone users stay as they are. */
function makeOrChange(context: Context, tx: Transaction, { id, ...given }: Change): User {
  const row = rowOf(context, id)
  if (row !== undefined)
    return row.status === 'gone' ? toUser(context.tables, row) : change(context, tx, row, given)
  const made = make(context, tx, id, given)
  tx.emit({ type: 'user', author: made.number })
  return made
}

function setStatus(context: Context, tx: Transaction, user: number, status: UserStatus): User {
  const row = context.tables.users.get(user)
  if (row === undefined) throw new Problem('user_not_found', undefined, { user })
  if (row.status === status) return toUser(context.tables, row)
  if (row.status === 'gone') throw new Problem('account_gone', undefined, { user })
  tx.emit({ type: 'user', author: user })
  const profile = status === 'gone' ? WORDLESS : {}
  return put(context, tx, { ...row, ...profile, status, version: row.version + 1 })
}

/** One change a user, later ones over earlier ones. */
function merged(changes: readonly Change[]): Change[] {
  const byId = new Map<string, Change>()
  for (const change of changes) byId.set(change.id, { ...byId.get(change.id), ...change })
  return [...byId.values()]
}

function touch({ tables }: Context, tx: Transaction, readers: readonly number[]): void {
  for (const reader of readers) {
    const seenAt = tables.users.get(reader)?.lastSeenAt ?? 0
    if (tx.now - seenAt < SEEN_MS) continue
    tx.change(() => {
      const row = tables.users.get(reader)
      if (row !== undefined) tables.users.set(reader, { ...row, lastSeenAt: tx.now })
    })
  }
}

export function users(context: Context): UserStore {
  const { tables, transactions } = context
  const shown = (rows: (UserRow | undefined)[]) =>
    rows.filter(row => row !== undefined).map(row => toUser(tables, row))
  const byIds = (ids: readonly string[]) => shown([...new Set(ids)].map(id => rowOf(context, id)))
  return {
    usersByIds: async ids => byIds(ids),
    usersByNumbers: async numbers =>
      shown([...new Set(numbers)].map(number => tables.users.get(number))),

    async ensureUsers(ids) {
      const missing = [...new Set(ids)].filter(id => !tables.numbers.has(id))
      await transactions.run(missing.map(lock), tx => {
        for (const id of missing) if (!tables.numbers.has(id)) make(context, tx, id, {})
      })
      return byIds(ids)
    },

    putUser: (id, given, key) =>
      transactions.write(
        key,
        [lock(id)],
        tx => {
          const user = makeOrChange(context, tx, { ...given, id })
          if (user.status === 'gone') throw new Problem('account_gone', undefined, { user: id })
          return user
        },
        about
      ),

    putUsers: changes =>
      transactions.run(
        changes.map(({ id }) => lock(id)),
        tx => {
          const all = merged(changes)
          const created = all.filter(({ id }) => !tables.numbers.has(id)).length
          for (const change of all) makeOrChange(context, tx, change)
          return { created }
        }
      ),

    setStatus: (user, status, key) =>
      transactions.write(
        key,
        [lock(tables.users.get(user)?.id ?? '')],
        tx => setStatus(context, tx, user, status),
        about
      ),

    async listUsers(after, limit) {
      const rows = [...tables.users.values()]
      const wanted = rows.filter(row => row.number > after && row.status !== 'gone')
      return shown(wanted.sort((a, b) => a.number - b.number).slice(0, limit))
    },

    touchReaders: readers =>
      transactions.run(
        readers.map(reader => lock(tables.users.get(reader)?.id ?? '')),
        tx => touch(context, tx, readers)
      )
  }
}
