import { Problem } from '../domain/errors.ts'
import { unknownUser } from '../domain/unknown.ts'
import type { User } from '../domain/user.ts'
import { createBatchCache } from '../lib/batch-cache.ts'
import type { Clock } from '../ports/clock.ts'
import type { Feeds } from '../ports/feeds.ts'
import type { Store } from '../ports/store.ts'

const USERS_MAX = 100_000
const USERS_BYTES = 32 * 2 ** 20
/** Of a user beside their text. */
const ENTRY_BYTES = 500

/** Translates the app's ids to our numbers at the edge. */
export interface Directory {
  /** Users by the app's ids, whatever their status; unknown ones are left out. */
  findMany(ids: readonly string[]): Promise<ReadonlyMap<string, User>>
  /** Users by number, whatever their status, in the order asked; unknown ones are left out. */
  byNumbers(numbers: readonly number[]): Promise<readonly User[]>
  /** @throws Problem user_not_found when unknown, suspended or gone. */
  visible(id: string): Promise<User>
  /** The user, made on first sight, whatever their status. */
  ensure(id: string): Promise<User>
  /** The user who reads, if they ever wrote or were made. @throws Problem account_gone */
  reader(id: string): Promise<User | undefined>
}

interface DirectoryContext {
  readonly store: Pick<Store, 'usersByIds' | 'usersByNumbers' | 'ensureUsers'>
  readonly feeds: Pick<Feeds, 'subscribe' | 'inStep'>
  readonly clock: Pick<Clock, 'monotonic'>
}

/** `maxBytes` bounds the users that are kept. */
export function createDirectory(context: DirectoryContext, maxBytes = USERS_BYTES): Directory {
  const { store, feeds, clock } = context
  const now = () => clock.monotonic()
  // An id and its number never part, so this one is never invalidated; what changes is cached by number.
  const numbers = createBatchCache<string, number>({
    load: async ids => new Map((await store.usersByIds(ids)).map(user => [user.id, user.number])),
    max: 2 * USERS_MAX,
    now
  })
  const users = createBatchCache<number, User>({
    load: async wanted =>
      new Map((await store.usersByNumbers(wanted)).map(user => [user.number, user])),
    max: USERS_MAX,
    maxBytes,
    size: user => 2 * JSON.stringify(user).length + ENTRY_BYTES,
    now,
    usable: () => feeds.inStep()
  })
  feeds.subscribe(change => {
    if (change.everything) users.clear()
    users.forget(change.users ?? [])
  })

  async function byNumbers(wanted: readonly number[]): Promise<readonly User[]> {
    const found = await users.getMany([...new Set(wanted)])
    return wanted.map(number => found.get(number)).filter(user => user !== undefined)
  }
  async function findMany(ids: readonly string[]): Promise<ReadonlyMap<string, User>> {
    const found = await numbers.getMany([...new Set(ids)])
    return new Map((await byNumbers([...found.values()])).map(user => [user.id, user]))
  }
  const find = async (id: string) => (await findMany([id])).get(id)
  return {
    findMany,
    byNumbers,
    async visible(id) {
      const user = await find(id)
      if (user?.status !== 'active') throw unknownUser(id)
      return user
    },
    async ensure(id) {
      const user = (await find(id)) ?? (await store.ensureUsers([id]))[0]
      if (user === undefined) throw unknownUser(id)
      return user
    },
    async reader(id) {
      const user = await find(id)
      if (user?.status === 'gone') throw new Problem('account_gone')
      return user
    }
  }
}

/** @throws Problem account_suspended, account_gone */
export function mayWrite({ status }: User): void {
  if (status === 'suspended') throw new Problem('account_suspended')
  if (status === 'gone') throw new Problem('account_gone')
}
