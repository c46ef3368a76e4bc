import assert from 'node:assert/strict'
import test from 'node:test'
import { retry } from './retry.ts'

function recorder(random = 1) {
  const pauses: number[] = []
  const clock = {
    random: () => random,
    sleep: async (ms: number) => {
      pauses.push(ms)
    }
  }
  return { pauses, clock }
}

/** Fails `times` times, then answers the attempt. */
function failing(times: number) {
  return async (attempt: number) => {
    if (attempt <= times) throw new Error(`failure ${attempt}`)
    return attempt
  }
}

test('tries until it succeeds, with pauses that double up to the longest', async () => {
  const { pauses, clock } = recorder()
  const done = await retry(failing(4), { attempts: 9, baseMs: 10, maxMs: 50, clock })
  assert.equal(done, 5)
  assert.deepEqual(pauses, [10, 20, 40, 50])
})

test('throws the last error when the attempts are used up', async () => {
  const { pauses, clock } = recorder()
  await assert.rejects(retry(failing(9), { attempts: 3, baseMs: 10, clock }), /failure 3/)
  assert.equal(pauses.length, 2)
})

test('does not repeat what cannot pass', async () => {
  const { pauses, clock } = recorder()
  const options = { attempts: 9, baseMs: 10, clock, shouldRetry: () => false }
  await assert.rejects(retry(failing(9), options), /failure 1/)
  assert.deepEqual(pauses, [])
})

test('pauses vary by half', async () => {
  const { pauses, clock } = recorder(0)
  await retry(failing(2), { attempts: 9, baseMs: 10, clock })
  assert.deepEqual(pauses, [5, 10])
})

test('an aborted signal ends it with the last error', async () => {
  const stop = new AbortController()
  const clock = { random: () => 1, sleep: async () => stop.abort() }
  const options = { attempts: 9, baseMs: 10, clock, signal: stop.signal }
  await assert.rejects(retry(failing(9), options), /failure 1/)
})
