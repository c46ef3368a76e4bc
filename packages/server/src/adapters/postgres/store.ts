import { type Limits, PRESETS } from '../../domain/limits.ts'
import type { Store } from '../../ports/store.ts'
import { counts } from './counts.ts'
import { delivery } from './delivery.ts'
import { follows } from './follow.ts'
import { followsMany } from './follow-many.ts'
import { hides } from './hides.ts'
import { home } from './home.ts'
import { keys } from './idempotency.ts'
import { importPosts } from './import-posts.ts'
import { ledger } from './ledger.ts'
import { likes } from './likes.ts'
import { audit } from './oracle.ts'
import { outbox } from './outbox.ts'
import { Database, type DatabaseOptions } from './pool.ts'
import { posts } from './posts.ts'
import { publish } from './publish.ts'
import { recounts } from './recount.ts'
import { relations } from './relations.ts'
import { requests } from './requests.ts'
import { ruleChanges } from './rules.ts'
import { standings } from './standing.ts'
import { upkeep } from './upkeep.ts'
import { users } from './users.ts'

export interface PostgresStoreOptions extends DatabaseOptions {
  readonly limits?: Partial<Pick<Limits, 'followsMax' | 'requestsMax' | 'rulesMax'>>
}

/** The Store on a database that `migrate` has prepared. @throws Problem unavailable when it does not answer. */
export async function createPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { followsMax, requestsMax, rulesMax } = { ...PRESETS['activity-feed'], ...options.limits }
  const db = new Database(options)
  const store: Store = {
    ...users(db),
    ...publish(db),
    ...posts(db),
    ...home(db),
    ...importPosts(db),
    ...follows(db, { followsMax, requestsMax }),
    ...followsMany(db, followsMax),
    ...ruleChanges(db, rulesMax),
    ...hides(db, rulesMax),
    ...relations(db),
    ...requests(db),
    ...likes(db),
    ...counts(db),
    ...recounts(db),
    ...delivery(db),
    ...outbox(db, options),
    ...upkeep(db),
    ...keys(db),
    ...audit(db),
    ...standings(db),
    ...ledger(db, options),
    [Symbol.asyncDispose]: () => db[Symbol.asyncDispose]()
  }
  try {
    await store.ping()
  } catch (error) {
    await db[Symbol.asyncDispose]()
    throw error
  }
  return store
}
