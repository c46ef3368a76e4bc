import { after } from 'node:test'
import { testDatabase } from '../../../../../testkit/postgres.ts'
import { storeConformance } from '../../ports/store.conformance.ts'
import { withClient } from './bundled/with-client.ts'
import { createPostgresStore } from './store.ts'

const url = await testDatabase({ after })

/** Removing rows is far cheaper than a database for each test. */
const EMPTY = [
  ...['users', 'user_deltas', 'posts', 'follows', 'followers', 'blocks', 'mutes', 'hides'],
  ...[
    'follow_requests',
    'openings',
    'cuts',
    'likes',
    'like_deltas',
    'post_counts',
    'outbox',
    'idempotency_keys'
  ]
].map(table => `delete from ${table}`)

storeConformance('postgres', async (_, limits) => {
  await withClient(url, client => client.query(EMPTY.join(';')))
  return createPostgresStore({ url, ...(limits && { limits }) })
})
