import assert from 'node:assert/strict'
import test from 'node:test'
import { startServices } from '../../../../../scripts/services/start-services.ts'
import { openLog, until, userEvents, Worker } from '../../../../../testkit/kafka.ts'
import { without } from '../../../../../testkit/services.ts'

const tuning = { requestMs: 1500, silenceMs: 4000, stallMs: 3000, drainMs: 500, closeMs: 2000 }

test('a broker that is killed, or stands still, is waited for', {
  skip: without('kafka'),
  timeout: 180_000
}, async t => {
  await using services = await startServices(['kafka'], { useEnvironment: false })
  const [broker] = services.kafka.servers
  assert.ok(broker)
  const { log, telemetry } = await openLog(t, services.kafka.url, { tuning })
  const worker = new Worker()
  await log.consume(worker.open)
  let next = 0
  const append = async () => {
    const events = [...userEvents(1, next), ...userEvents(2, next)]
    await log.append(events)
    next++
    return true
  }
  const insist = () => append().catch(() => false)
  const settled = async () => (await log.pending().catch(() => 1)) === 0
  await until('events are taken', insist)
  await until('they are handled', settled)

  await t.test('killed', async () => {
    await broker.kill()
    await assert.rejects(append())
    await broker.start()
    await until('events are taken again', insist, 40_000)
    await until('all is handled', settled, 40_000)
    assert.ok(worker.ids(2).includes(`${next - 1}`))
  })

  await t.test('standing still for longer than a worker may write unheard', async () => {
    broker.pause()
    try {
      await assert.rejects(append())
      await until('the worker gives up its partitions', () => worker.holds.length === 0, 20_000)
      assert.ok((telemetry.counts.get('log_silences') ?? 0) > 0)
    } finally {
      broker.resume()
    }
    await until('events are taken again', insist, 40_000)
    await until('all is handled', settled, 40_000)
    assert.ok(worker.ids(1).includes(`${next - 1}`))
  })

  await t.test('down when a process starts', async t => {
    await broker.stop()
    const early = await openLog(t, services.kafka.url, { tuning })
    const late = new Worker()
    await early.log.consume(late.open)
    await assert.rejects(early.log.append(userEvents(3, 1)))
    await broker.start()
    const appended = () =>
      early.log.append(userEvents(3, 2)).then(
        () => true,
        () => false
      )
    await until('events are taken', appended, 40_000)
    await until('they are handled', () => late.ids(3).includes('2'), 40_000)
  })

  await log[Symbol.asyncDispose]()
})
