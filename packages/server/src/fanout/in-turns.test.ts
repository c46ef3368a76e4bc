import assert from 'node:assert/strict'
import test from 'node:test'
import { inTurns } from './in-turns.ts'

/** A job of `turns` turns that writes its name down at each. */
function job(name: string, turns: number, done: string[]): () => Promise<boolean> {
  let left = turns
  return async () => {
    done.push(name)
    left--
    return left > 0
  }
}

test('a long job does not hold up a short one', async () => {
  const done: string[] = []
  await inTurns([job('long', 4, done), job('short', 1, done), job('mid', 2, done)], 1)
  assert.deepEqual(done, ['long', 'short', 'mid', 'long', 'mid', 'long', 'long'])
})

test('at most `width` are at work', async () => {
  let now = 0
  let most = 0
  const jobs = Array.from({ length: 20 }, () => async () => {
    most = Math.max(most, ++now)
    await new Promise(resolve => setImmediate(resolve))
    now--
    return false
  })
  await inTurns(jobs, 3)
  assert.equal(most, 3)
})

test('after a failure the work that was begun ends before the first error is thrown', async () => {
  const done: string[] = []
  const slow = async () => {
    await new Promise(resolve => setImmediate(resolve))
    done.push('slow')
    return true
  }
  const bad = () => Promise.reject(new Error('bad'))
  await assert.rejects(inTurns([slow, bad, job('never', 1, done)], 2), /bad/)
  assert.deepEqual(done, ['slow'])
})

test('no jobs are done at once', async () => {
  await inTurns([], 4)
})
