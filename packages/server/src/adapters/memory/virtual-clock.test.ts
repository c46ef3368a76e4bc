import assert from 'node:assert/strict'
import test from 'node:test'
import { clockConformance } from '../../ports/clock.conformance.ts'
import { createVirtualClock } from './virtual-clock.ts'

clockConformance('virtual clock', () => {
  const clock = createVirtualClock()
  return { clock, pass: ms => clock.advance(ms) }
})

test('time stands still until it is moved', async () => {
  const clock = createVirtualClock({ start: 1000 })
  let woken = 0
  const count = () => woken++
  const sleeps = [clock.sleep(10).then(count), clock.sleep(10).then(count)]
  await clock.advance(9)
  assert.deepEqual([clock.now(), clock.monotonic(), woken, clock.sleeping], [1009, 9, 0, 2])
  await clock.advance(1)
  assert.deepEqual([clock.now(), woken, clock.sleeping], [1010, 2, 0])
  await Promise.all(sleeps)
})

test('a sleeper sees its own time, and what it starts runs within the same advance', async () => {
  const clock = createVirtualClock({ start: 0 })
  const seen: number[] = []
  const work = (async () => {
    for (const ms of [5, 5, 0, 10]) {
      await clock.sleep(ms)
      seen.push(clock.now())
    }
  })()
  await clock.advance(100)
  await work
  assert.deepEqual(seen, [5, 10, 10, 20])
  assert.equal(clock.now(), 100)
})

test('who sleeps until the same time is woken in the order of falling asleep', async () => {
  const clock = createVirtualClock()
  const woken: number[] = []
  const sleeps = [1, 2, 3].map(n => clock.sleep(5).then(() => woken.push(n)))
  await clock.advance(5)
  await Promise.all(sleeps)
  assert.deepEqual(woken, [1, 2, 3])
})

test('runs until work is done, and no further', async () => {
  const clock = createVirtualClock({ start: 0 })
  const other = clock.sleep(1000)
  assert.equal(await clock.runUntil(clock.sleep(70).then(() => 'done')), 'done')
  assert.equal(clock.now(), 70)
  const failing = clock.sleep(5).then(() => Promise.reject(new Error('broken')))
  await assert.rejects(clock.runUntil(failing), /broken/)
  await clock.runUntil(other)
})

test('says when work never ends', async () => {
  const clock = createVirtualClock()
  const never = new Promise<void>(() => {})
  await assert.rejects(clock.runUntil(never), /nobody sleeps/)
  const sleep = clock.sleep(500)
  await assert.rejects(clock.runUntil(sleep, 100), /after 100 ms/)
})

test('now can step back; sleeps and the monotonic time do not notice', async () => {
  const clock = createVirtualClock({ start: 1_000_000 })
  const sleep = clock.sleep(10)
  clock.shift(-60_000)
  assert.deepEqual([clock.now(), clock.monotonic()], [940_000, 0])
  await clock.advance(10)
  await sleep
  assert.deepEqual([clock.now(), clock.monotonic()], [940_010, 10])
})

test('the same seed gives the same chance, another seed another', () => {
  const draw = (seed: number) => {
    const clock = createVirtualClock({ seed })
    return Array.from({ length: 20 }, () => clock.random())
  }
  assert.deepEqual(draw(7), draw(7))
  assert.notDeepEqual(draw(7), draw(8))
})
