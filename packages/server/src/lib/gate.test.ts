import assert from 'node:assert/strict'
import test from 'node:test'
import { createGate, GateFullError } from './gate.ts'

const turn = () => new Promise<void>(resolve => setImmediate(resolve))

test('runs at most so many at once, in the order of the calls', async () => {
  const gate = createGate({ concurrency: 2 })
  const ends = [0, 1, 2, 3].map(() => Promise.withResolvers<void>())
  const started: number[] = []
  const runs = ends.map((end, i) =>
    gate.run(async () => {
      started.push(i)
      await end.promise
      return i
    })
  )
  await turn()
  assert.deepEqual(started, [0, 1])
  assert.deepEqual(gate.stats(), { running: 2, waiting: 2 })
  ends[1]!.resolve()
  assert.equal(await runs[1], 1)
  await turn()
  assert.deepEqual(started, [0, 1, 2])
  for (const end of ends) end.resolve()
  assert.deepEqual(await Promise.all(runs), [0, 1, 2, 3])
  assert.deepEqual(gate.stats(), { running: 0, waiting: 0 })
})

test('a failure frees its place', async () => {
  const gate = createGate({ concurrency: 1 })
  const failed = gate.run(async () => {
    throw new Error('broken')
  })
  const next = gate.run(async () => 'ran')
  await assert.rejects(failed, /broken/)
  assert.equal(await next, 'ran')
  assert.deepEqual(gate.stats(), { running: 0, waiting: 0 })
})

test('refuses when the queue is full, and takes again when it is not', async () => {
  const gate = createGate({ concurrency: 1, queueMax: 1 })
  const end = Promise.withResolvers<void>()
  const running = gate.run(() => end.promise)
  const waiting = gate.run(async () => 'waited')
  await assert.rejects(
    gate.run(async () => 'never'),
    GateFullError
  )
  end.resolve()
  await running
  assert.equal(await waiting, 'waited')
  assert.equal(await gate.run(async () => 'again'), 'again')
})
