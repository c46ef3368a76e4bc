import assert from 'node:assert/strict'
import test from 'node:test'
import type { LoggedEvent } from '../../domain/event.ts'
import { eventLogConformance } from '../../ports/event-log.conformance.ts'
import type { EventHandler } from '../../ports/event-log.ts'
import { createMemoryEventLog } from './event-log.ts'

eventLogConformance('memory event log', async () => createMemoryEventLog())

const turn = () => new Promise<void>(resolve => setImmediate(resolve))

function event(id: number, lane = 1): LoggedEvent {
  return { id: String(id), lane, event: { type: 'user', author: id } }
}

/** A handler whose batches the test ends by hand. */
function manual() {
  const batches: { ids: string[]; end: PromiseWithResolvers<void> }[] = []
  const states: string[] = []
  const open = (): EventHandler => {
    states.push('open')
    return {
      handle(events) {
        const end = Promise.withResolvers<void>()
        batches.push({ ids: events.map(({ id }) => id), end })
        return end.promise
      },
      close: async () => {
        states.push('close')
      }
    }
  }
  return { batches, states, open }
}

test('an append resolves when the work of its events is done, not before', async () => {
  await using log = createMemoryEventLog()
  const { batches, open } = manual()
  await log.consume(open)
  let safe = false
  const appended = log.append([event(1)]).then(() => {
    safe = true
  })
  await turn()
  assert.equal(safe, false)
  batches[0]!.end.resolve()
  await appended
})

test('what waits for a lane is joined into batches of a limited size', async () => {
  await using log = createMemoryEventLog({ batchMax: 3 })
  const { batches, open } = manual()
  await log.consume(open)
  const all = [[1], [2], [3], [4, 5], [6, 7, 8, 9], [10]]
  const appended = all.map(ids => log.append(ids.map(id => event(id))))
  for (let i = 0; i < 5; i++) {
    await turn()
    batches[i]?.end.resolve()
  }
  await Promise.all(appended)
  assert.deepEqual(
    batches.map(({ ids }) => ids.join()),
    ['1', '2,3', '4,5', '6,7,8,9', '10']
  )
})

test('when a batch fails, what waits behind it fails too: nothing overtakes', async () => {
  await using log = createMemoryEventLog({ batchMax: 1 })
  const { batches, open } = manual()
  await log.consume(open)
  const appended = [1, 2, 3].map(id => log.append([event(id)]))
  const results = Promise.allSettled(appended)
  await turn()
  batches[0]!.end.reject(new Error('down'))
  const states = (await results).map(({ status }) => status)
  assert.deepEqual(states, ['rejected', 'rejected', 'rejected'])
  assert.equal(await log.pending(), 0)
  assert.equal(batches.length, 1)
  const again = log.append([event(1), event(2), event(3)])
  await turn()
  batches[1]!.end.resolve()
  await again
  assert.deepEqual(batches[1]!.ids, ['1', '2', '3'])
})

test('a handler that cannot be opened fails the append', async () => {
  await using log = createMemoryEventLog()
  let broken = true
  await log.consume(() => {
    if (broken) throw new Error('no handler')
    return { handle: async () => {}, close: async () => {} }
  })
  await assert.rejects(log.append([event(1)]), /no handler/)
  broken = false
  await log.append([event(1)])
})

test('an append without room waits, in order, and does not hold up other lanes', async () => {
  await using log = createMemoryEventLog({ batchMax: 2, waitingMax: 4 })
  const { batches, open } = manual()
  await log.consume(open)
  const appended = Array.from({ length: 20 }, (_, i) => log.append([event(i)]))
  const other = log.append([event(99, 2)])
  await turn()
  assert.equal(await log.pending(), 21)
  assert.deepEqual(batches[1]!.ids, ['99'])
  for (let i = 0; i < batches.length; i++) {
    batches[i]!.end.resolve()
    await turn()
  }
  await Promise.all([...appended, other])
  const order = batches.flatMap(({ ids }) => ids).filter(id => id !== '99')
  assert.deepEqual(
    order,
    Array.from({ length: 20 }, (_, i) => String(i))
  )
})

test('a released lane fails what waits, closes at once, and opens anew when its batch has ended', async () => {
  await using log = createMemoryEventLog()
  const { batches, states, open } = manual()
  await log.consume(open)
  const running = log.append([event(1)])
  const waiting = log.append([event(2)])
  await turn()
  const released = log.release([1])
  await assert.rejects(waiting, /released/)
  const later = log.append([event(3)])
  await turn()
  assert.deepEqual(states, ['open', 'close'])
  batches[0]!.end.resolve()
  await Promise.all([running, released])
  await turn()
  assert.deepEqual(states, ['open', 'close', 'open'])
  batches[1]!.end.resolve()
  await later
})

test('disposal closes handlers at once, waits for the batch at work and fails what waits', async () => {
  const log = createMemoryEventLog()
  const { batches, states, open } = manual()
  await log.consume(open)
  const running = log.append([event(1)])
  const waiting = log.append([event(2)])
  await turn()
  const disposed = log[Symbol.asyncDispose]()
  await assert.rejects(waiting, /closed/)
  assert.deepEqual(states, ['open', 'close'])
  batches[0]!.end.resolve()
  await running
  await disposed
  assert.deepEqual(states, ['open', 'close'])
  await log[Symbol.asyncDispose]()
})

test('only one may consume, and a lane that does not exist is refused', async () => {
  await using log = createMemoryEventLog()
  await log.consume(manual().open)
  await assert.rejects(log.consume(manual().open), /already/)
  await assert.rejects(log.append([event(1, 64)]), RangeError)
  await assert.rejects(log.append([event(1, 1), event(2, -1)]), RangeError)
  assert.equal(await log.pending(), 0)
})

test('a handler may append to its own lane', async () => {
  await using log = createMemoryEventLog()
  const seen: string[] = []
  let follow: Promise<void> | undefined
  await log.consume(() => ({
    async handle(events) {
      const busy = seen.push(...events.map(({ id }) => id))
      follow ??= log.append([event(2)])
      await turn()
      assert.equal(seen.length, busy, 'one batch after the other')
    },
    close: async () => {}
  }))
  await log.append([event(1)])
  await follow
  assert.deepEqual(seen, ['1', '2'])
})

test('a batch that has not begun when its lane is released does not begin', async () => {
  await using log = createMemoryEventLog()
  const { batches, states, open } = manual()
  await log.consume(open)
  const appended = log.append([event(1)])
  await Promise.all([assert.rejects(appended, /released/), log.release([1])])
  assert.deepEqual(batches, [])
  assert.deepEqual(states, [])
})

test('a lane that is taken over recovers before anything is handled, and again when that failed', async () => {
  await using log = createMemoryEventLog()
  const done: unknown[] = []
  let broken = true
  await log.consume(() => ({
    async recover(past) {
      if (broken) throw new Error('not now')
      done.push(past)
    },
    async handle(events) {
      done.push(events)
    },
    close: async () => {}
  }))
  const past = { done: [event(1)], ahead: [event(2)] }
  await assert.rejects(async () => log.takeOver?.(1, past), /not now/)
  broken = false
  await Promise.all([log.takeOver?.(1, past), log.append([event(2)])])
  assert.deepEqual(done, [past, [event(2)]])
})
