import { Problem } from '../../domain/errors.ts'
import type { Profile, User, UserStatus } from '../../domain/user.ts'
import type { UserStore } from '../../ports/store.ts'
import { emit, userEvent } from './emit.ts'
import { write } from './idempotency.ts'
import { AUTHOR_LOCK, authorLock, STRIPES } from './locks.ts'
import { type Database, type Queries, statement } from './pool.ts'
import { toUser, USER_COLUMNS, type UserRow } from './rows.ts'

const byIds = statement(
  'users_by_ids',
  `select ${USER_COLUMNS} from users where id = any($1::text[])`
)

const byNumbers = statement(
  'users_by_numbers',
  `select ${USER_COLUMNS} from users where number = any($1::bigint[])`
)

const ensure = statement(
  'users_ensure',
  `insert into users (id) select id from unnest($1::text[]) id order by id on conflict do nothing`
)

const list = statement(
  'users_list',
  `select ${USER_COLUMNS} from users
   where number > $1 and status <> 'gone' order by number limit $2`
)

const touch = statement(
  'users_touch',
  `update users set last_seen_at = now() where number = any($1::bigint[])
   and (last_seen_at is null or last_seen_at < now() - interval '6 hours')`
)

const make = statement(
  'users_make',
  `with made as (
     insert into users (id, name, avatar, attributes, visibility)
     select * from unnest($1::text[], $2::text[], $3::text[], $4::jsonb[], $5::text[]) g (id)
     where not exists (select from users u where u.id = g.id)
     order by id on conflict do nothing returning number
   ), events as (${emit(`select ${userEvent('number')} from made`)})
   select count(*)::int as count from made`
)

/**
 * Of those who may turn public by what follows, whatever they are now: that may change until their rows are held. The
 * locks come in the one order of all locks.
 */
const holdOpening = statement(
  'users_hold_opening',
  `select pg_advisory_xact_lock(${AUTHOR_LOCK}, stripe) from (
     select distinct (number % ${STRIPES})::int as stripe from users
     where id = any($1::text[]) order by stripe
   ) s`
)

/**
 * Each field comes with a flag: absent fields stay. Equal profiles stay as they are. Requests are made under the lock
 * of their author, so an account that turns public, whose lock is held here, has no later request than the number that
 * is drawn.
 */
const change = statement(
  'users_change',
  `with given (id, name, avatar, attributes, visibility,
       has_name, has_avatar, has_attributes, has_visibility) as (
     select * from unnest($1::text[], $2::text[], $3::text[], $4::jsonb[], $5::text[],
       $6::boolean[], $7::boolean[], $8::boolean[], $9::boolean[])
   ), wanted as (
     select u.number, case when g.has_name then g.name else u.name end as name,
       case when g.has_avatar then g.avatar else u.avatar end as avatar,
       case when g.has_attributes then g.attributes else u.attributes end as attributes,
       case when g.has_visibility then g.visibility else u.visibility end as visibility,
       u.visibility as visibility_was
     from given g join users u on u.id = g.id
     where u.status <> 'gone' order by u.number for no key update of u
   ), changed as (
     update users u set name = w.name, avatar = w.avatar, attributes = w.attributes,
       visibility = w.visibility, version = u.version + 1
     from wanted w
     where u.number = w.number
       and (u.name, u.avatar, u.attributes, u.visibility)
         is distinct from (w.name, w.avatar, w.attributes, w.visibility)
     returning u.number
   ), opened as (
     insert into openings (followee, until) select number, nextval('relation_seq') from wanted
     where visibility_was = 'private' and visibility = 'public'
     on conflict (followee) do update set until = excluded.until
   ), events as (${emit(`select ${userEvent('number')} from changed`)})
   select count(*)::int as count from changed`
)

/** What a user who is gone said about themselves goes at once; the rest is cleaned up in steps. */
const setStatus = statement(
  'users_set_status',
  `with changed as (
     update users set status = $2, version = version + 1,
       gone_at = case when $2 = 'gone' then now() end,
       name = case when $2 = 'gone' then null else name end,
       avatar = case when $2 = 'gone' then null else avatar end,
       attributes = case when $2 = 'gone' then '{}' else attributes end
     where number = $1 and status <> $2 and status <> 'gone' returning number
   ), events as (${emit(`select ${userEvent('number')} from changed`)})
   select count(*)::int as changed from changed`
)

type Change = Partial<Profile> & { readonly id: string }

/** One row a user, later changes over earlier ones. */
function merged(changes: readonly Change[]): Change[] {
  const byId = new Map<string, Change>()
  for (const change of changes) byId.set(change.id, { ...byId.get(change.id), ...change })
  return [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** Statements one after the other: the later ones see users that somebody else has just made. Returns how many were made. */
async function putAll(tx: Queries, changes: readonly Change[]): Promise<number> {
  const profiles = [
    changes.map(({ id }) => id),
    changes.map(({ name }) => name ?? null),
    changes.map(({ avatar }) => avatar ?? null),
    changes.map(({ attributes }) => JSON.stringify(attributes ?? {})),
    changes.map(({ visibility }) => visibility ?? 'public')
  ]
  const given = [
    changes.map(({ name }) => name !== undefined),
    changes.map(({ avatar }) => avatar !== undefined),
    changes.map(({ attributes }) => attributes !== undefined),
    changes.map(({ visibility }) => visibility !== undefined)
  ]
  const [made] = await tx.rows<{ count: number }>(make, profiles)
  const opening = changes.filter(({ visibility }) => visibility === 'public')
  if (opening.length > 0) await tx.rows(holdOpening, [opening.map(({ id }) => id)])
  await tx.rows(change, [...profiles, ...given])
  return made?.count ?? 0
}

const about = (user: User) => user.number

async function putOne(tx: Queries, given: Change): Promise<User> {
  await putAll(tx, [given])
  const [row] = await tx.rows<UserRow>(byIds, [[given.id]])
  if (row === undefined) throw new Error(`The user ${given.id} was not made.`)
  if (row.status === 'gone') throw new Problem('account_gone', undefined, { user: given.id })
  return toUser(row)
}

export function users(db: Database): UserStore {
  async function all(of: typeof byIds, values: readonly unknown[]): Promise<readonly User[]> {
    return (await db.rows<UserRow>(of, [values])).map(toUser)
  }
  return {
    usersByIds: ids => all(byIds, ids),
    usersByNumbers: numbers => all(byNumbers, numbers),

    async ensureUsers(ids) {
      const wanted = [...new Set(ids)]
      const found = await all(byIds, wanted)
      if (found.length === wanted.length) return found
      const known = new Set(found.map(user => user.id))
      await db.rows(ensure, [wanted.filter(id => !known.has(id))])
      return all(byIds, wanted)
    },

    putUser: (id, profile, key) =>
      write(db, { name: 'users_put', key, about }, tx => putOne(tx, { ...profile, id })),

    async putUsers(changes) {
      const rows = merged(changes)
      const created = await db.transaction('users_put_many', [], tx => putAll(tx, rows))
      db.wake()
      return { created }
    },

    setStatus: (user, status, key) => {
      // Who is gone is asked by nobody any more.
      const locks = status === 'gone' ? [authorLock(user)] : []
      return write(db, { name: 'users_set_status', locks, key, about }, tx =>
        statusAfter(tx, user, status)
      )
    },

    async listUsers(after, limit) {
      return (await db.rows<UserRow>(list, [after, limit])).map(toUser)
    },

    async touchReaders(readers) {
      await db.rows(touch, [readers])
    }
  }
}

async function statusAfter(tx: Queries, number: number, status: UserStatus): Promise<User> {
  await tx.rows(setStatus, [number, status])
  const [row] = await tx.rows<UserRow>(byNumbers, [[number]])
  if (row === undefined) throw new Problem('user_not_found', undefined, { user: number })
  const user = toUser(row)
  if (user.status !== status) throw new Problem('account_gone', undefined, { user: number })
  return user
}
