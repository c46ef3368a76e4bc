import assert from 'node:assert/strict'
import test from 'node:test'
import type { LoggedEvent } from '../domain/event.ts'
import type { EventHandler, EventLog } from './event-log.ts'

type MakeEventLog = (t: test.TestContext) => Promise<EventLog>

export interface EventLogTraits {
  /** What is assigned and gets a handler: the lanes of the outbox, or partitions of the log's own. */
  readonly assigns?: 'lanes' | 'partitions'
}

/** What the handlers of a log were asked to do, in the order of the asking. Each lane of this suite is one author. */
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

function createRecorder(assigns: 'lanes' | 'partitions'): Recorder {
  const watchers: (() => void)[] = []
  const busy = new Set<number>()
  const recorder: Recorder = {
    opened: [],
    closed: [],
    done: new Map(),
    work: async () => {},
    open(assigned) {
      recorder.opened.push(assigned)
      return {
        async handle(events) {
          assert.ok(!busy.has(assigned), 'one batch of a lane after the other')
          assert.ok(events.length > 0)
          if (assigns === 'lanes') assert.ok(events.every(({ lane }) => lane === assigned))
          busy.add(assigned)
          await recorder.work(events[0]!.lane, events).finally(() => busy.delete(assigned))
          for (const { lane, id } of events) {
            recorder.done.set(lane, [...handled(recorder, lane), id])
          }
          for (const watch of watchers) watch()
        },
        async close() {
          recorder.closed.push(assigned)
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
  return ids.map(id => ({ id: String(id), lane, event: { type: 'user', author: lane } }))
}

/** Asks until it is so; a log on another machine takes a moment. */
async function becomes(ask: () => Promise<number>, wanted: number): Promise<void> {
  const end = performance.now() + 10_000
  let told = await ask()
  while (told !== wanted && performance.now() < end) {
    await new Promise(resolve => setImmediate(resolve))
    told = await ask()
  }
  assert.equal(told, wanted)
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
export function eventLogConformance(
  name: string,
  make: MakeEventLog,
  { assigns = 'lanes' }: EventLogTraits = {}
): void {
  const setUp = async (t: test.TestContext) => {
    const log = await make(t)
    const recorder = createRecorder(assigns)
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
    assert.equal(recorder.opened.length, 1, 'one handler, opened for the first event')
    if (assigns === 'lanes') assert.deepEqual(recorder.opened, [3])
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
    assert.ok((await log.pending()) >= 1)
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
    await becomes(() => log.pending(), 3)
    stuck.resolve()
    await Promise.all(appended)
    await recorder.reached(3)
    await becomes(() => log.pending(), 0)
  })

  test(`${name}: a released lane closes its handler at once, so that its batch ends early: it may have another owner`, async t => {
    const { log, recorder } = await setUp(t)
    const [entered, stuck] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    recorder.work = () => {
      entered.resolve()
      return stuck.promise
    }
    await log.consume(recorder.open)
    const appended = Promise.allSettled([log.append(events(5, 1))])
    await entered.promise
    let ended = false
    const released = log.release([5, 6]).then(() => {
      ended = true
    })
    const closed = assigns === 'lanes' ? [5] : []
    assert.deepEqual(recorder.closed, closed, 'a lane without a handler has nothing to close')
    await new Promise(resolve => setImmediate(resolve))
    if (assigns === 'lanes') assert.ok(!ended, 'a batch at work is waited for')
    stuck.resolve()
    await released
    await appended
    await recorder.reached(1)
  })

  test(`${name}: disposal closes the handlers, and a closed log takes nothing`, async t => {
    const { log, recorder } = await setUp(t)
    await log.consume(recorder.open)
    await log.append([...events(1, 1), ...events(2, 2)])
    await recorder.reached(2)
    await log[Symbol.asyncDispose]()
    assert.deepEqual(recorder.closed.sort(), recorder.opened.sort())
    if (assigns === 'lanes') assert.deepEqual(recorder.closed, [1, 2])
    await assert.rejects(log.append(events(1, 3)))
  })
}
