import assert from 'node:assert/strict'
import test from 'node:test'
import {
  freshPrefix,
  openLog,
  SESSION_MS,
  shortSession,
  until,
  userEvents,
  Worker
} from '../../../../../testkit/kafka.ts'
import { service } from '../../../../../testkit/services.ts'
import type { Clock } from '../../ports/clock.ts'
import { createSystemClock } from '../system/clock.ts'

const authors = Array.from({ length: 40 }, (_, i) => i)

test('a partition moves on only when its handler is closed, and nothing is handled twice', async t => {
  const url = service(t, 'kafka')
  if (url === undefined) return
  const prefix = freshPrefix()
  const [first, second] = [await openLog(t, url, { prefix }), await openLog(t, url, { prefix })]
  const [a, b] = [new Worker(), new Worker()]
  const hold = Promise.withResolvers<void>()
  a.work = () => hold.promise
  await first.log.consume(a.open)
  await first.log.append(authors.flatMap(author => userEvents(author, author)))
  await until('all partitions are at work', () => a.opened.length === 4)
  b.work = async partition => {
    assert.ok(a.closed.includes(partition), 'its predecessor has ended')
  }
  await second.log.consume(b.open)
  await first.log.append(authors.flatMap(author => userEvents(author, 100 + author)))
  await createSystemClock().sleep(SESSION_MS)
  assert.deepEqual([a.closed, b.opened], [[], []], 'a batch at work is waited for')
  hold.resolve()
  await until('all is done', async () => (await first.log.pending()) === 0)
  await until('the partitions are shared out', () => a.closed.length === 2)
  const ids = [...a.ids(), ...b.ids()]
  assert.equal(ids.length, 80)
  assert.equal(new Set(ids).size, 80)
  await first.log[Symbol.asyncDispose]()
  await second.log.append(authors.flatMap(author => userEvents(author, 200 + author)))
  await until('who is left has all', async () => (await second.log.pending()) === 0)
  assert.deepEqual(b.holds, [0, 1, 2, 3])
})

test('a handler three times slower than the session neither ends the session nor blocks others', async t => {
  const url = service(t, 'kafka')
  if (url === undefined) return
  const prefix = freshPrefix()
  await shortSession(url, `${prefix}.fanout`)
  const { log, telemetry } = await openLog(t, url, { prefix })
  const worker = new Worker()
  const clock = createSystemClock()
  worker.work = async (_, events) => {
    if (events.some(({ id }) => id === '1')) await clock.sleep(3 * SESSION_MS)
  }
  await log.consume(worker.open)
  await log.append([...userEvents(1, 1), ...userEvents(2, 2)])
  await until('the quick one is done', () => worker.ids().includes('2'), SESSION_MS)
  await until('the slow one is done', () => worker.ids().includes('1'))
  await until('it is committed', async () => (await log.pending()) === 0)
  assert.deepEqual([worker.closed, worker.ids().length], [[], 2])
  assert.equal(telemetry.counts.get('log_fenced'), undefined)
})

test('who leaves ends the batch at work first, and nobody else begins before', async t => {
  const url = service(t, 'kafka')
  if (url === undefined) return
  const prefix = freshPrefix()
  await shortSession(url, `${prefix}.fanout`)
  const [first, second] = [await openLog(t, url, { prefix }), await openLog(t, url, { prefix })]
  const [leaver, heir] = [new Worker(), new Worker()]
  const [entered, clock] = [Promise.withResolvers<void>(), createSystemClock()]
  leaver.work = async () => {
    entered.resolve()
    await clock.sleep(2 * SESSION_MS)
  }
  await first.log.append(userEvents(1, 1))
  await first.log.consume(leaver.open)
  await entered.promise
  await second.log.consume(heir.open)
  await first.log[Symbol.asyncDispose]()
  assert.deepEqual([leaver.ids(), heir.ids()], [['1'], []])
  await second.log.append(userEvents(1, 2))
  await until('the heir goes on', () => heir.ids().includes('2'))
  assert.deepEqual(heir.ids(), ['2'])
})

test('a rejected batch comes again and again, and other partitions go on', async t => {
  const url = service(t, 'kafka')
  if (url === undefined) return
  const { log } = await openLog(t, url)
  const worker = new Worker()
  let tries = 0
  worker.work = async (_, events) => {
    if (events[0]?.id === '1' && tries++ < 3) throw new Error('not now')
  }
  await log.append([...userEvents(1, 1), ...userEvents(2, 2), ...userEvents(1, 3)])
  await log.consume(worker.open)
  await until('all is done', async () => (await log.pending()) === 0)
  assert.equal(tries, 4)
  assert.deepEqual(worker.ids(1), ['1', '3'])
  assert.deepEqual(worker.ids()[0], '2')
})

/** A clock whose pauses can be made endless: the process stands still, but for what was under way. */
function freezable(): Clock & { freeze(): void; thaw(): void } {
  const clock = createSystemClock()
  let frozen: PromiseWithResolvers<void> | undefined
  return {
    ...clock,
    sleep: async (ms, signal) => {
      await clock.sleep(ms, signal)
      await frozen?.promise
    },
    freeze() {
      frozen = Promise.withResolvers<void>()
    },
    thaw() {
      frozen?.resolve()
      frozen = undefined
    }
  }
}

test('a zombie commits nothing, and takes part again when it has found out', async t => {
  const url = service(t, 'kafka')
  if (url === undefined) return
  const prefix = freshPrefix()
  await shortSession(url, `${prefix}.fanout`)
  const clock = freezable()
  const first = await openLog(t, url, { prefix, clock })
  const second = await openLog(t, url, { prefix })
  const [zombie, heir] = [new Worker(), new Worker()]
  const [held, working] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  zombie.work = () => held.promise
  heir.work = () => working.promise
  await first.log.consume(zombie.open)
  await first.log.append(userEvents(1, 1, 2, 3))
  await until('the zombie is at work', () => zombie.opened.length === 1)
  clock.freeze()
  await second.log.consume(heir.open)
  await until('its partition has an heir', () => heir.opened.length === 1)
  held.resolve()
  await until('the zombie has done the work', () => zombie.done.length === 3)
  await until('its commit was refused', () => first.telemetry.counts.has('log_commit_failures'))
  assert.equal(await second.log.pending(), 3, 'nothing is committed')
  assert.deepEqual(zombie.closed, zombie.opened, 'it has noticed')
  working.resolve()
  await until('the heir has committed', async () => (await second.log.pending()) === 0)
  assert.deepEqual(heir.ids(), ['1', '2', '3'])
  clock.thaw()
  await until('the zombie is a member again', () => first.telemetry.counts.has('log_fenced'))
  await second.log[Symbol.asyncDispose]()
  await first.log.append(userEvents(1, 4))
  await until('and works', async () => (await first.log.pending()) === 0)
  assert.deepEqual(zombie.ids(), ['1', '2', '3', '4'])
})

test('a new owner is told what was done a moment ago and what may have been in work', async t => {
  const url = service(t, 'kafka')
  if (url === undefined) return
  const prefix = freshPrefix()
  const first = await openLog(t, url, { prefix, tuning: { batchMax: 2, drainMs: 100 } })
  const before = new Worker()
  const [entered, stuck] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  before.work = async (_, events) => {
    if (events[0]?.id !== '3') return
    entered.resolve()
    await stuck.promise
  }
  await first.log.append(userEvents(1, 1, 2))
  await first.log.consume(before.open)
  await until('two are done', async () => (await first.log.pending()) === 0)
  await first.log.append(userEvents(1, 3, 4, 5, 6, 7))
  await entered.promise
  const disposed = first.log[Symbol.asyncDispose]()
  stuck.reject(new Error('gone'))
  await disposed
  const second = await openLog(t, url, { prefix, tuning: { batchMax: 2 } })
  const after = new Worker()
  await second.log.consume(after.open)
  await until('all is done', async () => (await second.log.pending()) === 0)
  const [takeover, ...more] = after.takeovers
  assert.deepEqual(
    takeover?.done.map(({ id }) => id),
    ['1', '2']
  )
  assert.deepEqual(
    takeover?.ahead.map(({ id }) => id),
    ['3', '4', '5', '6']
  )
  assert.deepEqual(more, [])
  assert.deepEqual(after.ids(), ['3', '4', '5', '6', '7'])
})
