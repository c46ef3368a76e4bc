import assert from 'node:assert/strict'
import test from 'node:test'
import {
  freshPrefix,
  openLog,
  until,
  userEvents,
  Worker,
  withAdmin
} from '../../../../../testkit/kafka.ts'
import { service } from '../../../../../testkit/services.ts'
import { partitionOf } from './murmur2.ts'

test('what retention took from a stopped consumer is reported, and the rest is handled', async t => {
  const url = service(t, 'kafka')
  if (url === undefined) return
  const prefix = freshPrefix()
  const first = await openLog(t, url, { prefix })
  const [before, after] = [new Worker(), new Worker()]
  await first.log.append(userEvents(1, 1))
  await first.log.consume(before.open)
  await until('it is done', async () => (await first.log.pending()) === 0)
  await first.log[Symbol.asyncDispose]()
  const { log, losses } = await openLog(t, url, { prefix })
  await log.append(userEvents(1, 2, 3, 4))
  const partition = partitionOf('1', 4)
  const partitions = [{ partition, offset: 3n }]
  await withAdmin(url, admin =>
    admin.deleteRecords({ topics: [{ name: `${prefix}.events`, partitions }] })
  )
  assert.equal(await log.pending(), 1)
  await log.consume(after.open)
  await until('the rest is done', async () => (await log.pending()) === 0)
  assert.deepEqual(after.ids(), ['4'])
  assert.deepEqual(losses, [{ reason: 'retention', partition, from: 1n, to: 3n }])
})

test('a topic deleted and made anew is consumed again, and the loss is reported', async t => {
  const url = service(t, 'kafka')
  if (url === undefined) return
  const prefix = freshPrefix()
  const { log, losses } = await openLog(t, url, { prefix })
  assert.deepEqual(losses, [{ reason: 'created' }])
  const worker = new Worker()
  await log.consume(worker.open)
  await log.append(userEvents(1, 1, 2))
  await until('it is done', async () => (await log.pending()) === 0)
  const topic = `${prefix}.events`
  await withAdmin(url, async admin => {
    await admin.deleteTopics({ topics: [topic] })
    await admin.createTopics({ topics: [{ topic, partitions: 4 }] }).catch(() => {})
  })
  const append = () =>
    log.append(userEvents(1, 3)).then(
      () => true,
      () => false
    )
  await until('it takes events again', append)
  await until('they are handled', () => worker.ids().includes('3'), 30_000)
  assert.ok(losses.some(({ reason }) => reason === 'recreated'))
  await until('and committed', async () => (await log.pending()) === 0)
})

test('a topic that is gone is made anew', async t => {
  const url = service(t, 'kafka')
  if (url === undefined) return
  const prefix = freshPrefix()
  const { log, losses } = await openLog(t, url, { prefix })
  const worker = new Worker()
  await log.consume(worker.open)
  await log.append(userEvents(1, 1))
  await until('it is done', async () => (await log.pending()) === 0)
  await withAdmin(url, admin => admin.deleteTopics({ topics: [`${prefix}.events`] }))
  const append = () =>
    log.append(userEvents(1, 2)).then(
      () => true,
      () => false
    )
  await until('it takes events again', append, 40_000)
  await until('they are handled', () => worker.ids().includes('2'), 30_000)
  assert.ok(losses.some(({ reason }) => reason === 'recreated'))
})
