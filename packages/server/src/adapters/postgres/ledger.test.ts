import assert from 'node:assert/strict'
import test from 'node:test'
import { testDatabase } from '../../../../../testkit/postgres.ts'
import type { LedgerRow } from '../../ports/ledger.ts'
import { withClient } from './bundled/with-client.ts'
import { createPostgresStore } from './store.ts'

test('an event is searched for only while its id is not known, or when it was retried', async t => {
  const asked: unknown[] = []
  const observe = (_: string, __: number, labels?: Readonly<Record<string, string>>) =>
    void asked.push(labels?.statement)
  const telemetry = { log() {}, count() {}, gauge() {}, observe }
  await using store = await createPostgresStore({ url: await testDatabase(t), telemetry })
  const [ann] = await store.ensureUsers(['ann'])
  const author = ann?.number ?? 0
  const { value } = await store.publish({ author, content: 'x', attrs: {} })
  const { id: post } = value.post
  const found = async (event?: string) => {
    asked.length = 0
    return (await store.eventOf(post, author, event))?.id
  }
  const id = await found()
  assert.ok(id)
  assert.deepEqual(asked, ['ledger_event_sought'])
  assert.equal(await found(id), id)
  assert.deepEqual(asked, ['ledger_event_known'])
  await store.bury({ id, lane: 0, event: { type: 'post', author, post } }, 'poison')
  assert.equal(await found(id), id)
  await store.retryDead(id)
  const retried = await found(id)
  assert.ok(retried && retried !== id)
  assert.deepEqual(asked, ['ledger_event_known', 'ledger_event_sought'])
})

test('what change data capture carries is published once a worker has recorded it', async t => {
  await using store = await createPostgresStore({ url: await testDatabase(t), relay: 'cdc' })
  const [ann] = await store.ensureUsers(['ann'])
  const author = ann?.number ?? 0
  const { value } = await store.publish({ author, content: 'x', attrs: {} })
  const { id: post } = value.post
  const waiting = await store.eventOf(post, author)
  assert.deepEqual([waiting?.publishedAt, waiting?.givenUp], [null, null])
  assert.ok((await store.eventOf(post, author, waiting?.id))?.publishedAt)
})

test('a worker whose clock is days off does not block the partition of a day to come', async t => {
  const url = await testDatabase(t)
  await using store = await createPostgresStore({ url })
  const post = '1900000000000000000'
  const row: LedgerRow = {
    ...{ post, event: '1', lane: 0, partition: null, offset: null, worker: 'w', at: 0 },
    ...{ delivery: 'push', work: 'pushed', slice: 1, slices: 1, first: 0, last: 0 },
    ...{ pushed: 0, cold: 0, late: 0, failed: 0, took: [] }
  }
  const days = [5, -30].map(days => Date.now() + days * 86_400_000)
  await store.record(days.map((at, n) => ({ ...row, at, slice: n + 1 })))
  const { rows } = await withClient(url, client =>
    client.query(`select count(*)::int as rows, min(at) > now() - interval '2 hours' as low,
      max(at) < now() + interval '2 minutes' as high from ledger`)
  )
  assert.deepEqual(rows, [{ rows: 2, low: true, high: true }])
})
