import { type Limits, PRESETS } from '../../domain/limits.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'
import type { Context } from './store/context.ts'
import { cuts } from './store/cuts.ts'
import { delivery } from './store/delivery.ts'
import { importPosts } from './store/import-posts.ts'
import { keys } from './store/keys.ts'
import { ledger } from './store/ledger.ts'
import { likes } from './store/likes.ts'
import { members } from './store/members.ts'
import { oracle } from './store/oracle.ts'
import { outbox } from './store/outbox.ts'
import { PostIds } from './store/post-ids.ts'
import { posts } from './store/posts.ts'
import { recounts } from './store/recount.ts'
import { relations } from './store/relations.ts'
import { requests } from './store/requests.ts'
import { rules } from './store/rules.ts'
import { createTables } from './store/tables.ts'
import { Transactions } from './store/transactions.ts'
import { upkeep } from './store/upkeep.ts'
import { users } from './store/users.ts'

export interface MemoryStoreOptions {
  readonly clock: Clock
  readonly limits?: Partial<Pick<Limits, 'followsMax' | 'requestsMax' | 'rulesMax'>>
  /**
   * ms between the work of a writing transaction, which draws ids and outbox numbers and holds its rows, and its
   * commit; undefined: at once.
   */
  readonly commitDelay?: () => number | undefined
}

/**
 * A Store in memory, for the simulator: it loses all with the process. It behaves like PostgreSQL where stages can
 * tell: statements see a snapshot, writes of one row wait for each other, and a commit may come late.
 */
export function createMemoryStore(options: MemoryStoreOptions): Store {
  const { clock, limits, commitDelay } = options
  const tables = createTables()
  const last = { user: 0, relation: 0 }
  const context: Context = {
    clock,
    tables,
    transactions: new Transactions(tables, { clock, commitDelay }),
    ids: new PostIds(tables),
    limits: { ...PRESETS['activity-feed'], ...limits },
    next: sequence => ++last[sequence]
  }
  return {
    ...users(context),
    ...posts(context),
    ...importPosts(context),
    ...relations(context),
    ...requests(context),
    ...rules(context),
    ...members(context),
    ...cuts(context),
    ...likes(context),
    ...recounts(context),
    ...delivery(context),
    ...outbox(context),
    ...upkeep(context),
    ...keys(context),
    ...oracle(context),
    ...ledger(context),
    async [Symbol.asyncDispose]() {}
  }
}
