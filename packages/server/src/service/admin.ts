import type { AdminApi, UserId, WriteOptions } from '@fanwise/sdk'
import { unknownUser } from '../domain/unknown.ts'
import type { UserStatus } from '../domain/user.ts'
import type { EventLog } from '../ports/event-log.ts'
import { putUser, setStatus } from '../publish/users.ts'
import { createBatch } from './batch.ts'
import type { ServiceContext } from './context.ts'
import { deadEvents } from './dead-events.ts'
import { explaining } from './explain.ts'
import { pageOfRows } from './pages.ts'
import { requestKey, SERVER } from './request-key.ts'
import { toProfile } from './wire.ts'

export interface AdminContext extends ServiceContext {
  readonly audit: Pick<AdminApi, 'verify' | 'sampleReaders' | 'rebuild' | 'settle' | 'stats'>
  readonly log: EventLog
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
    ...deadEvents(context),
    ...explaining(context),
    batch: createBatch(context),
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
