import type { FeedApi, UserId, WriteOptions } from '@fanwise/sdk'
import type { Trace } from '../domain/commit.ts'
import { Problem } from '../domain/errors.ts'
import { changeFollower, type FollowerChange } from '../publish/followers.ts'
import type { ServiceContext } from './context.ts'
import { openWrite, unlessDone } from './request-key.ts'

export type FollowerMethods = FollowerChange

/** What the reader's pages have to reckon with, read with the same commit. */
const traces: Partial<Record<FollowerChange, (reader: number, author: number) => Trace>> = {
  acceptRequest: (reader, author) => ({ kind: 'follow', reader, author }),
  removeFollower: reader => ({ kind: 'rules', reader })
}

/** What a user decides about those who follow them or ask to. */
export function followers(context: ServiceContext, id: UserId): Pick<FeedApi, FollowerMethods> {
  const { directory } = context
  const change = (kind: FollowerChange) => async (target: UserId, options?: WriteOptions) => {
    if (target === id && kind === 'acceptRequest') throw new Problem('self_relation')
    const known = await directory.findMany([id, target])
    const reader = known.get(target)
    const refuse = () => {
      if (kind === 'acceptRequest' && (reader === undefined || !known.has(id)))
        throw new Problem('request_not_found')
    }
    // Whoever asks in vain is not made by it.
    if (!known.has(id)) refuse()
    const { user, key } = await openWrite(context, id, options, kind, target)
    await unlessDone(context, key, refuse)
    // Nothing stands between a user and nobody, or themselves: it is undone already.
    if (reader === undefined || target === id) return
    await changeFollower(context, kind, user.number, reader.number, key)
    const trace = traces[kind]?.(reader.number, user.number)
    if (trace !== undefined) context.committed(trace)
  }
  return {
    acceptRequest: change('acceptRequest'),
    rejectRequest: change('rejectRequest'),
    async removeFollower(user, follower, options) {
      if (user !== id)
        throw new Problem(
          'forbidden',
          `The caller is "${id}", who may not remove followers of "${user}".`
        )
      await change('removeFollower')(follower, options)
    }
  }
}
