import assert from 'node:assert/strict'
import test from 'node:test'
import { type LoopOptions, loop } from './loop.ts'

const turn = () => new Promise<void>(resolve => setImmediate(resolve))

/** A clock whose pauses the test ends by hand; `pauses` holds the length of each. */
function manualClock() {
  const pauses: number[] = []
  let end = () => {}
  const sleep = (ms: number, signal?: AbortSignal) => {
    pauses.push(ms)
    if (signal?.aborted) return Promise.resolve()
    return new Promise<void>(resolve => {
      end = resolve
      signal?.addEventListener('abort', () => resolve(), { once: true })
    })
  }
  return { pauses, clock: { sleep }, pass: () => end() }
}

function setUp(once: () => Promise<number>, more: Partial<LoopOptions> = {}) {
  const { pauses, clock, pass } = manualClock()
  const errors: unknown[] = []
  const options = { once, clock, idleMs: 100, retryMs: 7, ...more }
  const running = loop({ ...options, onError: error => errors.push(error) })
  return { pauses, pass, errors, running }
}

test('goes on at once while there is work, and rests when there is none', async () => {
  const left = [3, 2, 0, 1, 0]
  let rounds = 0
  const { pauses, pass, running } = setUp(async () => {
    rounds++
    return left.shift() ?? 0
  })
  await turn()
  assert.deepEqual([rounds, pauses], [3, [100]])
  pass()
  await turn()
  assert.deepEqual([rounds, pauses], [5, [100, 100]])
  await running[Symbol.asyncDispose]()
})

test('a wake ends the pause', async () => {
  let rounds = 0
  const { running } = setUp(async () => {
    rounds++
    return 0
  })
  await turn()
  running.wake()
  await turn()
  assert.equal(rounds, 2)
  await running[Symbol.asyncDispose]()
})

test('a wake during a round is not lost', async () => {
  const round = Promise.withResolvers<number>()
  let rounds = 0
  const { pauses, running } = setUp(async () => {
    rounds++
    return rounds === 1 ? round.promise : 0
  })
  running.wake()
  round.resolve(0)
  await turn()
  assert.deepEqual([rounds, pauses], [2, [100]], 'a second round came before the pause')
  await running[Symbol.asyncDispose]()
})

test('errors are reported, and tried again after the pause for failures', async () => {
  let rounds = 0
  const { pauses, pass, errors, running } = setUp(async () => {
    rounds++
    if (rounds === 1) throw new Error('broken')
    return 0
  })
  await turn()
  assert.deepEqual([String(errors[0]), errors.length, pauses], ['Error: broken', 1, [7]])
  pass()
  await turn()
  assert.deepEqual([rounds, pauses], [2, [7, 100]])
  await running[Symbol.asyncDispose]()
})

test('disposal ends a pause', async () => {
  let rounds = 0
  const { running } = setUp(async () => {
    rounds++
    return 0
  })
  await turn()
  await running[Symbol.asyncDispose]()
  await turn()
  assert.equal(rounds, 1)
})

test('disposal waits for the round at work, and no other follows', async () => {
  const round = Promise.withResolvers<number>()
  let rounds = 0
  const { pauses, running } = setUp(async () => {
    rounds++
    return round.promise
  })
  let disposed = false
  const disposal = running[Symbol.asyncDispose]().then(() => {
    disposed = true
  })
  await turn()
  assert.equal(disposed, false)
  round.resolve(5)
  await disposal
  await running[Symbol.asyncDispose]()
  assert.deepEqual([rounds, pauses], [1, []])
})

test('disposal during a round that fails reports it and ends', async () => {
  const round = Promise.withResolvers<number>()
  const { errors, pauses, running } = setUp(() => round.promise)
  const disposal = running[Symbol.asyncDispose]()
  round.reject(new Error('late'))
  await disposal
  assert.deepEqual([String(errors[0]), pauses], ['Error: late', []])
})
