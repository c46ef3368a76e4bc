import type { AdminApi, Batch, UserId, WriteOptions } from '@fanwise/sdk'
import { Problem } from '../domain/errors.ts'
import type { UserStatus } from '../domain/user.ts'
import { importBatch } from '../publish/import-batch.ts'
import { putUser, setStatus } from '../publish/users.ts'
import type { ServiceContext } from './context.ts'
import { unknownUser } from './directory.ts'
import { pageOfRows } from './pages.ts'
import { requestKey } from './request-key.ts'
import { toProfile } from './wire.ts'

/** Owner of the keys of requests that the server key makes. */
const SERVER = 0

export interface AdminContext extends ServiceContext {
  readonly audit: Pick<AdminApi, 'verify' | 'rebuild' | 'settle' | 'stats'>
}

/** What the app's backend can do. */
export function createAdmin(context: AdminContext): AdminApi {
  const { store, cursors, audit } = context
  const status = (to: UserStatus) => async (id: UserId, options?: WriteOptions) => {
    const user = (await context.directory.findMany([id])).get(id)
    if (user === undefined) throw unknownUser(id)
    await setStatus(context, user.number, to, requestKey(SERVER, options, 'setStatus', to, id))
  }
  return {
    ...audit,
    batch: batch => importBatch(context, toImport(batch)),
    users: (query = {}) =>
      pageOfRows(cursors, { list: 'users', reader: SERVER, owner: SERVER }, query, {
        read: (after, limit) => store.listUsers(after === null ? 0 : Number(after), limit),
        position: user => String(user.number),
        present: async users => users.map(toProfile)
      }),
    async putUser(id, change, options) {
      const key = requestKey(SERVER, options, 'putUser', id, change)
      return toProfile((await putUser(context, id, change, key)).value)
    },
    suspend: status('suspended'),
    unsuspend: status('active')
  }
}

function toImport(batch: Batch) {
  return {
    ...batch,
    posts: (batch.posts ?? []).map(({ createdAt, ...post }, index) => ({
      ...post,
      ...(createdAt !== undefined && { createdAt: toTime(createdAt, index) })
    }))
  }
}

function toTime(text: string, index: number): number {
  const ms = Date.parse(text)
  if (Number.isNaN(ms))
    throw new Problem(
      'invalid_request',
      `posts[${index}].createdAt: "${text.slice(0, 40)}" is not an ISO 8601 time.`
    )
  return ms
}
