import type { CursorCodec } from '../domain/cursor.ts'
import type { Limits } from '../domain/limits.ts'
import type { Pager } from '../page/page.ts'
import type { Clock } from '../ports/clock.ts'
import type { Feeds } from '../ports/feeds.ts'
import type { Store } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import type { Directory } from './directory.ts'
import type { OwedPushes } from './owed-pushes.ts'
import type { OpenSession } from './session.ts'

/** What the services work with, for one request. */
export interface ServiceContext extends OpenSession {
  readonly store: Store
  readonly feeds: Feeds
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly limits: Limits
  readonly directory: Directory
  readonly pager: Pager
  readonly owed: OwedPushes
  readonly cursors: CursorCodec
  /** Notes that a reader was here. */
  readonly seen: (reader: number) => void
}
