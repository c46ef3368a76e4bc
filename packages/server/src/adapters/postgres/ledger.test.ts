import assert from 'node:assert/strict'
import test from 'node:test'
import { testDatabase } from '../../../../../testkit/postgres.ts'
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
