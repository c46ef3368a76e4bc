import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import test from 'node:test'
import { Producer } from '@platformatic/kafka'
import {
  freshPrefix,
  openLog,
  until,
  userEvents,
  Worker,
  withAdmin
} from '../../../../../testkit/kafka.ts'
import { service } from '../../../../../testkit/services.ts'
import { createSystemClock } from '../system/clock.ts'
import { dropDeadRecords, listDeadRecords } from './dead-letters.ts'
import { partitionOf } from './murmur2.ts'

test('10,000 keys are found in the partitions where the Java client puts them', async t => {
  const url = service(t, 'kafka')
  if (url === undefined) return
  const { log } = await openLog(t, url, { partitions: 16 })
  const worker = new Worker()
  await log.consume(worker.open)
  const events = Array.from({ length: 10_000 }, (_, i) => userEvents(7 * i, i)).flat()
  await log.append(events)
  await until('all events are read back', () => worker.done.length >= events.length)
  for (const { partition, event } of worker.done) {
    assert.equal(partition, partitionOf(String(Reflect.get(event.event, 'author')), 16))
  }
  assert.equal(new Set(worker.ids()).size, events.length)
})

test('what is appended at once by many stays in order, author by author', async t => {
  const url = service(t, 'kafka')
  if (url === undefined) return
  const { log } = await openLog(t, url)
  const worker = new Worker()
  await log.consume(worker.open)
  const ids = Array.from({ length: 2000 }, (_, i) => i)
  await Promise.all(ids.map(id => log.append(userEvents(id % 5, id))))
  await until('all are handled', () => worker.done.length === ids.length)
  for (let author = 0; author < 5; author++) {
    const own = ids.filter(id => id % 5 === author).map(String)
    assert.deepEqual(worker.ids(author), own)
  }
})

test('an event that the log can never take is named, and those behind it are not held up', async t => {
  const url = service(t, 'kafka')
  if (url === undefined) return
  const { log } = await openLog(t, url, { tuning: { bytesMax: 300 } })
  const huge = { ...userEvents(1, 77)[0]!, id: '7'.repeat(400) }
  await assert.rejects(log.append([...userEvents(1, 1), huge]), {
    name: 'EventTooLargeError',
    event: huge
  })
  await log.append(userEvents(1, ...Array.from({ length: 50 }, (_, i) => i)))
  assert.equal(await log.pending(), 50)
})

test('a topic that takes less than is known here has the event named, too', async t => {
  const url = service(t, 'kafka')
  if (url === undefined) return
  const prefix = freshPrefix()
  const topics = [{ topic: `${prefix}.events`, partitions: 4 }]
  const configs = [{ name: 'max.message.bytes', value: '400' }]
  await withAdmin(url, admin => admin.createTopics({ topics, configs }))
  const { log } = await openLog(t, url, { prefix })
  const noise = randomBytes(600).toString('hex')
  const huge = { ...userEvents(1, 77)[0]!, id: noise }
  await assert.rejects(log.append([...userEvents(1, 1, 2), huge, ...userEvents(1, 3)]), {
    name: 'EventTooLargeError',
    event: huge
  })
  await log.append(userEvents(1, ...Array.from({ length: 50 }, (_, i) => i)))
  const worker = new Worker()
  await log.consume(worker.open)
  await until('what fits is done', async () => (await log.pending()) === 0)
  assert.ok(worker.ids().includes('49'))
})

test('a topic with another count of partitions is refused, and so is no power of two', async t => {
  const url = service(t, 'kafka')
  if (url === undefined) return
  const { log } = await openLog(t, url)
  assert.equal(await log.pending(), 0)
  const prefix = freshPrefix()
  await openLog(t, url, { prefix, partitions: 4 })
  await assert.rejects(openLog(t, url, { prefix, partitions: 8 }), /has 4 partitions, and 8/)
  const odd = freshPrefix()
  const topics = [{ topic: `${odd}.events`, partitions: 6 }]
  await withAdmin(url, admin => admin.createTopics({ topics }))
  await assert.rejects(openLog(t, url, { prefix: odd, partitions: 4 }), /power of two/)
  await assert.rejects(openLog(t, url, { partitions: 6 }), RangeError)
})

test('what is pending is known to those who do not consume', async t => {
  const url = service(t, 'kafka')
  if (url === undefined) return
  const prefix = freshPrefix()
  const { log: relay } = await openLog(t, url, { prefix })
  await relay.append(userEvents(1, 1, 2, 3))
  assert.equal(await relay.pending(), 3)
  const { log: elsewhere } = await openLog(t, url, { prefix })
  const worker = new Worker()
  const hold = Promise.withResolvers<void>()
  worker.work = () => hold.promise
  await elsewhere.consume(worker.open)
  await until('the handler is at work', () => worker.opened.length === 1)
  await relay.append(userEvents(2, 4))
  assert.equal(await relay.pending(), 4)
  hold.resolve()
  await until('the work is done', async () => (await relay.pending()) === 0)
  assert.equal(worker.done.length, 4)
})

test('a record that holds no event is set aside with the reason, and its neighbours are handled', async t => {
  const url = service(t, 'kafka')
  if (url === undefined) return
  const prefix = freshPrefix()
  const { log } = await openLog(t, url, { prefix })
  const producer = new Producer({ clientId: 'test', bootstrapBrokers: url.split(',') })
  t.after(() => producer.close())
  const topic = `${prefix}.events`
  const partition = partitionOf('1', 4)
  const key = Buffer.from('1')
  const headers = new Map([[Buffer.from('id'), Buffer.from('9')]])
  await log.append(userEvents(1, 1))
  await producer.send({
    messages: [
      { topic, partition, key, headers, value: Buffer.from('{not json') },
      { topic, partition, key, headers, value: Buffer.from('{"type":"toString"}') },
      { topic, partition, key, value: Buffer.from('{"type":"user","author":1}') },
      { topic, partition, key, headers, value: Buffer.from('{"type":"user","author":1}') }
    ]
  })
  await log.append(userEvents(1, 2))
  const worker = new Worker()
  await log.consume(worker.open)
  await until('all is worked off', async () => (await log.pending()) === 0)
  assert.deepEqual(worker.ids(), ['1', '9', '2'])
  const options = {
    brokers: url.split(','),
    prefix,
    clock: createSystemClock(),
    telemetry: { log() {}, count() {}, gauge() {}, observe() {} }
  }
  const dead = await listDeadRecords(options, 10)
  assert.deepEqual(
    dead.map(({ reason }) => reason.split(':')[0]),
    ['SyntaxError', 'TypeError', 'TypeError']
  )
  assert.deepEqual([dead[0]?.value, dead[0]?.partition], ['{not json', partition])
  await dropDeadRecords(options, dead[1]!.position)
  assert.equal((await listDeadRecords(options, 10)).length, 1)
  await dropDeadRecords(options, '999')
  assert.equal((await listDeadRecords(options, 10)).length, 0)
  await dropDeadRecords({ ...options, prefix: freshPrefix() }, '0')
})
