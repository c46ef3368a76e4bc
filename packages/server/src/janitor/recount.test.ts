import assert from 'node:assert/strict'
import test from 'node:test'
import { BEGINNING, type PostId } from '../domain/post-id.ts'
import { createRecount } from './recount.ts'

test('CT-03: each round goes on behind the one before, begins anew at the end, and tells what it corrected', async () => {
  const asked: (PostId | number)[] = []
  const told: unknown[] = []
  const likes = [
    { corrected: 0, next: '7' },
    { corrected: 2, next: null }
  ]
  const users = [
    { corrected: 1, next: null },
    { corrected: 0, next: 5 }
  ]
  const store = {
    async recountLikes(after: PostId) {
      asked.push(after)
      return likes.shift() ?? { corrected: 0, next: null }
    },
    async recountUsers(after: number) {
      asked.push(after)
      return users.shift() ?? { corrected: 0, next: null }
    }
  }
  const telemetry = {
    log() {},
    gauge() {},
    observe() {},
    count: (...what: unknown[]) => void told.push(what)
  }
  const round = createRecount({ store, telemetry }, 10)
  for (let rounds = 0; rounds < 3; rounds++) assert.equal(await round(), 0)
  assert.deepEqual(asked, [BEGINNING, 0, '7', 0, BEGINNING, 5])
  assert.deepEqual(told, [
    ['counts_corrected_total', 1, { of: 'users' }],
    ['counts_corrected_total', 2, { of: 'likes' }]
  ])
})
