import assert from 'node:assert/strict'
import test from 'node:test'
import type { LoggedEvent } from '../domain/event.ts'
import type { EventHandler, EventLog } from './event-log.ts'

type MakeEventLog = (t: test.TestContext) => Promise<EventLog>

/** What the handlers of a log were asked to do, in the order of the asking. */
interface Recorder {
  readonly open: (lane: number) => EventHandler
  readonly opened: number[]
  readonly closed: number[]
  /** Ids handled with success, by lane. */
  readonly done: Map<number, string[]>
  /** Called with each batch before it counts as done. */
  work: (lane: number, events: readonly LoggedEvent[]) => Promise<void>
  /** Resolves when that many events were handled with success. */
  reached(count: number): Promise<void>
}

function createRecorder(): Recorder {
  const watchers: (() => void)[] = []
  const busy = new Set<number>()
  const recorder: Recorder = {
    opened: [],
    closed: [],
    done: new Map(),
    work: async () => {},
    open(lane) {
      recorder.opened.push(lane)
      return {
        async handle(events) {
          assert.ok(!busy.has(lane), 'one batch of a lane after the other')
          assert.ok(events.length > 0 && events.every(event => event.lane === lane))
          busy.add(lane)
          await recorder.work(lane, events).finally(() => busy.delete(lane))
          recorder.done.set(lane, [...handled(recorder, lane), ...events.map(event => event.id)])
          for (const watch of watchers) watch()
        },
        async close() {
          assert.ok(!busy.has(lane), 'a handler is closed between batches')
          recorder.closed.push(lane)
        }
      }
    },
    reached(count) {
      return new Promise(resolve => {
        const watch = () => {
          const sum = [...recorder.done.values()].reduce((n, ids) => n + ids.length, 0)
          if (sum >= count) resolve()
        }
        watchers.push(watch)
        watch()
      })
    }
  }
  return recorder
}

function handled(recorder: Recorder, lane: number): readonly string[] {
  return recorder.done.get(lane) ?? []
}

function events(lane: number, ...ids: number[]): LoggedEvent[] {
  return ids.map(id => ({ id: String(id), lane, event: { type: 'user', author: id } }))
}

/** Appends as the relay does: again until it is known to be safe. */
async function insist(log: EventLog, batch: readonly LoggedEvent[]): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await log.append(batch)
    } catch (error) {
      if (attempt === 5) throw error
    }
  }
}

/** What every EventLog does. The log that `make` answers has no events, and is disposed by the suite. */
export function eventLogConformance(name: string, make: MakeEventLog): void {
  const setUp = async (t: test.TestContext) => {
    const log = await make(t)
    const recorder = createRecorder()
    t.after(() => log[Symbol.asyncDispose]())
    return { log, recorder }
  }

  test(`${name}: events of a lane are handled in the order they were appended`, async t => {
    const { log, recorder } = await setUp(t)
    await log.consume(recorder.open)
    const ids = Array.from({ length: 300 }, (_, i) => i)
    await Promise.all(ids.map(id => log.append(events(3, id))))
    await recorder.reached(300)
    assert.deepEqual(handled(recorder, 3), ids.map(String))
    assert.deepEqual(recorder.opened, [3], 'one handler, opened for the first event')
  })

  test(`${name}: what was appended before anybody consumes is handled then`, async t => {
    const { log, recorder } = await setUp(t)
    const appended = log.append(events(1, 1, 2))
    await log.consume(recorder.open)
    await appended
    await recorder.reached(2)
    assert.deepEqual(handled(recorder, 1), ['1', '2'])
  })

  test(`${name}: one append may hold events of many lanes, or none`, async t => {
    const { log, recorder } = await setUp(t)
    await log.consume(recorder.open)
    await log.append([...events(0, 1), ...events(63, 2), ...events(0, 3)])
    await log.append([])
    await recorder.reached(3)
    assert.deepEqual([handled(recorder, 0), handled(recorder, 63)], [['1', '3'], ['2']])
  })

  test(`${name}: a lane that is stuck does not hold up another`, async t => {
    const { log, recorder } = await setUp(t)
    const stuck = Promise.withResolvers<void>()
    recorder.work = lane => (lane === 1 ? stuck.promise : Promise.resolve())
    await log.consume(recorder.open)
    const slow = log.append(events(1, 1))
    for (let id = 2; id < 50; id++) await log.append(events(2, id))
    await recorder.reached(48)
    assert.deepEqual(handled(recorder, 1), [])
    assert.ok(log.pending() >= 1)
    stuck.resolve()
    await slow
    await recorder.reached(49)
  })

  test(`${name}: a batch that failed comes again, and nothing overtakes it`, async t => {
    const { log, recorder } = await setUp(t)
    let failures = 2
    recorder.work = async () => {
      if (failures-- > 0) throw new Error('not now')
    }
    await log.consume(recorder.open)
    const ids = [1, 2, 3, 4, 5, 6]
    await insist(log, events(7, ...ids))
    await insist(log, events(7, 7))
    await recorder.reached(7)
    const first = [...new Set(handled(recorder, 7))]
    assert.deepEqual(first, ['1', '2', '3', '4', '5', '6', '7'])
  })

  test(`${name}: pending counts what is not worked off, and comes to 0`, async t => {
    const { log, recorder } = await setUp(t)
    const stuck = Promise.withResolvers<void>()
    recorder.work = () => stuck.promise
    await log.consume(recorder.open)
    const appended = [log.append(events(1, 1, 2)), log.append(events(2, 3))]
    await new Promise(resolve => setImmediate(resolve))
    assert.equal(log.pending(), 3)
    stuck.resolve()
    await Promise.all(appended)
    await recorder.reached(3)
    await new Promise(resolve => setImmediate(resolve))
    assert.equal(log.pending(), 0)
  })

  test(`${name}: a released lane closes its handler after the batch at work`, async t => {
    const { log, recorder } = await setUp(t)
    const [entered, stuck] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    recorder.work = () => {
      entered.resolve()
      return stuck.promise
    }
    await log.consume(recorder.open)
    const appended = Promise.allSettled([log.append(events(5, 1))])
    await entered.promise
    const released = log.release([5, 6])
    assert.deepEqual(recorder.closed, [])
    stuck.resolve()
    await released
    await appended
    assert.deepEqual(recorder.closed, [5], 'a lane without a handler has nothing to close')
  })

  test(`${name}: disposal closes the handlers, and a closed log takes nothing`, async t => {
    const { log, recorder } = await setUp(t)
    await log.consume(recorder.open)
    await log.append([...events(1, 1), ...events(2, 2)])
    await recorder.reached(2)
    await log[Symbol.asyncDispose]()
    assert.deepEqual(recorder.closed.sort(), [1, 2])
    await assert.rejects(log.append(events(1, 3)))
  })
}
