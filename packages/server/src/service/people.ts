import type {
  Author,
  FeedApi,
  FollowRequestsQuery,
  FollowResult,
  Page,
  PageQuery,
  ProfileChange,
  UserId,
  WriteOptions
} from '@fanwise/sdk'
import { changesRules, type Trace } from '../domain/commit.ts'
import { Problem } from '../domain/errors.ts'
import { unknownUser } from '../domain/unknown.ts'
import type { User } from '../domain/user.ts'
import { readRules } from '../page/rules.ts'
import type { MemberList } from '../ports/store.ts'
import { changeRelation, type RelationChange } from '../publish/relations.ts'
import { putUser, setStatus } from '../publish/users.ts'
import { checkProfile } from '../publish/validate.ts'
import type { ServiceContext } from './context.ts'
import { type FollowerMethods, followers } from './followers.ts'
import { emptyPage, pageOfRows } from './pages.ts'
import { openWrite, requestKey, unlessDone } from './request-key.ts'
import { visibleTo } from './visible.ts'
import { toAuthor, toProfile } from './wire.ts'

type PeopleMethods =
  | 'getUser'
  | 'putUser'
  | 'deleteMe'
  | RelationChange
  | FollowerMethods
  | 'followRequests'
  | 'followers'
  | 'following'
  | 'blocks'
  | 'mutes'

/** What a user does with people: profiles, relations, lists. */
export function people(context: ServiceContext, id: UserId): Pick<FeedApi, PeopleMethods> {
  return {
    ...profiles(context, id),
    ...relations(context, id),
    ...followers(context, id),
    ...lists(context, id)
  }
}

function profiles(context: ServiceContext, id: UserId) {
  const { directory, store } = context
  return {
    async getUser(wanted: UserId) {
      const user = await visibleTo(context, await directory.reader(id), wanted)
      // Counts move without an announcement, so a profile is read and not taken from the cache.
      const [fresh = user] = await store.usersByNumbers([user.number])
      return toProfile(fresh)
    },
    async putUser(wanted: UserId, change: ProfileChange, options?: WriteOptions) {
      if (wanted !== id)
        throw new Problem('forbidden', `The token is for "${id}", so it cannot change "${wanted}".`)
      checkProfile(change, context.limits)
      const { key } = await openWrite(context, id, options, 'putUser', wanted, change)
      return toProfile((await putUser(context, wanted, change, key)).value)
    },
    async deleteMe(options?: WriteOptions) {
      const user = (await directory.findMany([id])).get(id)
      if (user === undefined) throw unknownUser(id)
      const key = requestKey(user.number, options, 'deleteMe')
      await setStatus(context, user.number, 'gone', key)
    }
  }
}

function relations(context: ServiceContext, id: UserId): Pick<FeedApi, RelationChange> {
  const { directory } = context
  const change = (kind: RelationChange) => async (target: UserId, options?: WriteOptions) => {
    const undoes = kind.startsWith('un')
    if (target === id && !undoes) throw new Problem('self_relation')
    const known = await directory.findMany([id, target])
    const author = known.get(target)
    // Undoing works on users who are suspended or gone, doing does not.
    const refuse = () => {
      if (author?.status !== 'active' && !undoes) throw unknownUser(target)
    }
    // Whoever asks in vain is not made by it.
    if (!known.has(id)) refuse()
    const { user, key } = await openWrite(context, id, options, kind, target)
    await unlessDone(context, key, refuse)
    // Nothing stands between a user and nobody, or themselves: it is undone already.
    if (author === undefined || target === id) return false
    const { value } = await changeRelation(context, kind, user.number, author.number, key)
    context.committed(traceOf(kind, user.number, author.number))
    return value
  }
  const quietly = (kind: Exclude<RelationChange, 'follow'>) => {
    const make = change(kind)
    return async (target: UserId, options?: WriteOptions) => void (await make(target, options))
  }
  return {
    async follow(target: UserId, options?: WriteOptions): Promise<FollowResult> {
      const value = await change('follow')(target, options)
      return { state: value === 'requested' ? value : 'following' }
    },
    unfollow: quietly('unfollow'),
    block: quietly('block'),
    unblock: quietly('unblock'),
    mute: quietly('mute'),
    unmute: quietly('unmute')
  }
}

function traceOf(kind: RelationChange, reader: number, author: number): Trace {
  return kind === 'follow' ? { kind, reader, author } : { kind: 'rules', reader }
}

function lists(context: ServiceContext, id: UserId) {
  const { directory } = context
  const own =
    (list: MemberList) =>
    async (query: PageQuery = {}) => {
      const user = await directory.reader(id)
      if (user === undefined) return emptyPage(context.cursors, list, query)
      return members(context, list, user, user, query)
    }
  const of =
    (list: MemberList) =>
    async (owner: UserId, query: PageQuery = {}) => {
      const viewer = await directory.reader(id)
      return members(context, list, viewer, await visibleTo(context, viewer, owner), query)
    }
  return {
    followers: of('followers'),
    following: of('following'),
    blocks: own('blocks'),
    mutes: own('mutes'),
    followRequests: ({ direction, ...query }: FollowRequestsQuery = {}) =>
      own(direction === 'outgoing' ? 'requested' : 'requests')(query)
  }
}

async function blocksOf(context: ServiceContext, reader: number): Promise<ReadonlySet<number>> {
  return (await readRules(context, reader, changesRules(context.traces, reader))).blocks
}

/** One page of people. Those whom the viewer may not see are left out, so a page may be short. */
async function members(
  context: ServiceContext,
  list: MemberList,
  viewer: User | undefined,
  owner: User,
  query: PageQuery
): Promise<Page<Author>> {
  const { store, cursors, directory } = context
  const blocked = viewer && list !== 'blocks' ? await blocksOf(context, viewer.number) : null
  const listing = { list, reader: viewer?.number ?? 0, owner: owner.number }
  return pageOfRows(cursors, listing, query, {
    read: (before, limit) => store.members(list, owner.number, before, limit),
    position: row => row.position,
    present: async rows => {
      const shown = rows.map(row => row.user).filter(user => !blocked?.has(user))
      const users = await directory.byNumbers(shown)
      return users.filter(user => user.status === 'active').map(toAuthor)
    }
  })
}
