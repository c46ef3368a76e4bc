import { testDatabase } from '../../../../../testkit/postgres.ts'
import { storeConformance } from '../../ports/store.conformance.ts'
import { createPostgresStore } from './store.ts'

storeConformance('postgres', async (t, limits) => {
  const url = await testDatabase(t)
  return createPostgresStore({ url, ...(limits && { limits }) })
})
