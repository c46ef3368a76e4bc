import assert from 'node:assert/strict'
import test from 'node:test'
import type { User } from '../domain/user.ts'
import type { ReaderRow } from '../ports/ledger.ts'
import { decidingReason, recordReasons, type Told } from './reasons.ts'

const told = {
  reader: { number: 2, id: 'bob' } as User,
  author: { number: 1, id: 'ada' } as User,
  trail: { event: null, progress: null, state: 'done' }
} as Told

function notPushed(counts: { cold: number; failed: number }): string | undefined {
  const row = { work: 'pushed', took: false, late: 0, at: 0, worker: 'w', ...counts } as ReaderRow
  return recordReasons(told, [row])[0]?.message
}

test('a follow that is over is told without saying who ended it', () => {
  const { message } = decidingReason('unfollowed', told)
  assert.equal(
    message,
    'bob does not follow ada any more: by an unfollow, a removal as a follower, or a block.'
  )
})

test('a feed that did not take a post is told the causes that there may be', () => {
  const when = 'The feed did not take it by worker w at 1970-01-01T00:00:00.000Z:'
  assert.equal(notPushed({ cold: 0, failed: 0 }), `${when} bob did not follow yet.`)
  assert.equal(
    notPushed({ cold: 3, failed: 0 }),
    `${when} it was cold (as 3 of the slice), or bob did not follow yet.`
  )
  assert.match(notPushed({ cold: 0, failed: 2 }) ?? '', /: it could not be reached \(as 2 of/)
})
