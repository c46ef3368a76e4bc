import type { AdminApi } from '@fanwise/sdk'
import { CommitCodec, type Session } from './domain/commit.ts'
import { CursorCodec } from './domain/cursor.ts'
import type { Limits } from './domain/limits.ts'
import type { UserBackend } from './http/backend.ts'
import { createPager } from './page/page.ts'
import type { Clock } from './ports/clock.ts'
import type { EventLog } from './ports/event-log.ts'
import type { Feeds } from './ports/feeds.ts'
import type { Store } from './ports/store.ts'
import type { Telemetry } from './ports/telemetry.ts'
import { createBuilders } from './rebuild/builders.ts'
import { createAdmin } from './service/admin.ts'
import { createAudit } from './service/audit.ts'
import { createDirectory } from './service/directory.ts'
import { ownDelivery } from './service/explain.ts'
import { createOwedPushes } from './service/owed-pushes.ts'
import { people } from './service/people.ts'
import { postReads, postWrites } from './service/posts.ts'
import { NO_SESSION, openSession } from './service/session.ts'
import { parse } from './service/wire.ts'

export interface Ports {
  readonly store: Store
  readonly feeds: Feeds
  readonly log: EventLog
  readonly clock: Clock
  readonly telemetry: Telemetry
}

export interface FeedOptions {
  readonly limits: Limits
  /** Signs cursors. */
  readonly secret: string
  readonly mode: string
  readonly roles: readonly string[]
  /** Notes that a reader was here. */
  readonly seen: (reader: number) => void
}

/** The whole API in process: what the HTTP routes call, and what tests and commands call without HTTP. */
export interface Feed {
  as(user: string, session?: Session): UserBackend
  readonly admin: AdminApi
  /** Compares the feeds of a few readers and drops those that are wrong: a round of the janitor. */
  sample(): Promise<number>
  /** Resolves when no list is being built. */
  idle(): Promise<void>
}

const BUILDERS = 4

export function createFeed(ports: Ports, options: FeedOptions): Feed {
  const builders = createBuilders({ ...ports, limits: options.limits, concurrency: BUILDERS })
  const pager = createPager({
    ...ports,
    limits: options.limits,
    requestBuild: list => builders.request(list)
  })
  const { limits, mode, roles, seen } = options
  const commits = new CommitCodec(options.secret)
  const base = {
    ...ports,
    limits,
    mode,
    roles,
    seen,
    pager,
    owed: createOwedPushes(ports.feeds),
    directory: createDirectory(ports),
    cursors: new CursorCodec(options.secret),
    ...NO_SESSION,
    buildersIdle: () => builders.idle(),
    build: builders.build
  }
  const { sample, ...audit } = createAudit(base)
  return {
    as(user, session) {
      const context = { ...base, ...(session && openSession(commits, session)) }
      const reads = postReads(context, user)
      return {
        ...reads,
        ...postWrites(context, user),
        ...people(context, user),
        ...ownDelivery(context, user),
        getPost: async id => parse(await reads.postBytes(id)),
        getPosts: async ids => parse(await reads.postsBytes(ids)),
        feed: async query => parse(await reads.feedBytes(query)),
        userPosts: async (author, query) => parse(await reads.userPostsBytes(author, query))
      }
    },
    admin: createAdmin({ ...base, audit }),
    sample,
    idle: () => builders.idle()
  }
}
