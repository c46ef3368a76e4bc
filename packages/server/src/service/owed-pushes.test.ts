import assert from 'node:assert/strict'
import test from 'node:test'
import type { Feeds } from '../ports/feeds.ts'
import { createOwedPushes } from './owed-pushes.ts'

test('own posts are owed until Feeds take them', async () => {
  let away = true
  const pushed: string[] = []
  const push: Feeds['push'] = async pushes => {
    if (away) throw new Error('away')
    pushed.push(...pushes.map(({ list, id }) => `${list} ${id}`))
    return []
  }
  const owed = createOwedPushes({ push })
  const turn = () => new Promise(resolve => setImmediate(resolve))
  assert.equal(owed.owes(7), false)
  owed.add(7, '1')
  owed.add(7, '2')
  assert.equal(owed.owes(7), true)
  assert.equal(owed.owes(8), false)
  await turn()
  away = false
  assert.equal(owed.owes(7), true, 'this page does not wait for the push')
  await turn()
  assert.deepEqual(pushed, ['feed:7 1', 'feed:7 2'])
  assert.equal(owed.owes(7), false)
})
