import assert from 'node:assert/strict'
import test from 'node:test'
import { createSingleFlight } from './single-flight.ts'

test('one flight per key, and none once it has landed', async () => {
  const flights = createSingleFlight<string, number>()
  const landing = Promise.withResolvers<number>()
  let started = 0
  const start = () => {
    started++
    return landing.promise
  }
  const joined = [flights.fly('a', start), flights.fly('a', start), flights.fly('b', start)]
  assert.equal(flights.flying, 2)
  landing.resolve(5)
  assert.deepEqual(await Promise.all(joined), [5, 5, 5])
  assert.equal(started, 2)
  assert.equal(flights.flying, 0)
  assert.equal(await flights.fly('a', async () => 6), 6)
})

test('a failure goes to all who joined and is not kept', async () => {
  const flights = createSingleFlight<string, number>()
  const fail = async () => {
    throw new Error('lost')
  }
  const both = [flights.fly('a', fail), flights.fly('a', fail)]
  for (const one of both) await assert.rejects(one, /lost/)
  assert.equal(await flights.fly('a', async () => 1), 1)
})

test('after a forget a flight starts anew and is not ended by the old one', async () => {
  const flights = createSingleFlight<string, number>()
  const [old, fresh] = [Promise.withResolvers<number>(), Promise.withResolvers<number>()]
  const before = flights.fly('a', () => old.promise)
  flights.forget('a')
  const after = flights.fly('a', () => fresh.promise)
  old.resolve(1)
  assert.equal(await before, 1)
  const joined = flights.fly('a', async () => 3)
  fresh.resolve(2)
  assert.deepEqual(await Promise.all([after, joined]), [2, 2])
})
