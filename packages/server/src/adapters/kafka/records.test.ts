import assert from 'node:assert/strict'
import test from 'node:test'
import type { FeedEvent } from '../../domain/event.ts'
import { decode, encode, entriesOf, type RawRecord } from './records.ts'

const post = '7123456789012345678'

const events: readonly FeedEvent[] = [
  { type: 'post', author: 7, post },
  { type: 'edit', author: 7, post },
  { type: 'delete', author: 7, post },
  { type: 'relation', author: 7, reader: 8 },
  { type: 'rules', reader: 7 },
  { type: 'user', author: 7 }
]

function raw(value: string | null, headers: Readonly<Record<string, string>>): RawRecord {
  return {
    key: Buffer.from('7'),
    value: value === null ? null : Buffer.from(value),
    headers: Object.entries(headers).map(([name, text]) => [Buffer.from(name), Buffer.from(text)])
  }
}

for (const event of events) {
  test(`an event comes back as it was: ${event.type}`, () => {
    const record = encode({ id: '12', lane: 3, event })
    assert.equal(record.key.toString(), '7')
    assert.deepEqual(decode({ ...record, headers: [...record.headers] }), {
      id: '12',
      lane: 3,
      event
    })
  })
}

test('an event knows its offset in the partition', () => {
  const value = '{"type": "user", "author": 7}'
  const records = [0, 3].map(offsetDelta => ({ offsetDelta, ...raw(value, { id: '12' }) }))
  const batch = { attributes: 0, firstOffset: 40n, lastOffsetDelta: 3, records }
  const entries = entriesOf([batch as never], 41n)
  assert.deepEqual(
    entries.map(({ offset, event }) => [offset, event?.offset, event?.id]),
    [[43n, '43', '12']]
  )
})

test('a lane that is not told is the one of the user', () => {
  const { lane } = decode(raw('{"type": "user", "author": 7}', { id: '1' }))
  assert.equal(lane, decode(raw('{"type": "rules", "reader": 7}', { id: '1' })).lane)
})

const bad: readonly (readonly [string, string | null, Readonly<Record<string, string>>])[] = [
  ['no value', null, { id: '1' }],
  ['no JSON', '{', { id: '1' }],
  ['no object', '7', { id: '1' }],
  ['an unknown type', '{"type":"constructor","author":7}', { id: '1' }],
  ['a missing field', '{"type":"post","author":7}', { id: '1' }],
  ['a post id as a number', '{"type":"post","author":7,"post":7123456789012345678}', { id: '1' }],
  ['an author as text', '{"type":"user","author":"7"}', { id: '1' }],
  ['no id', '{"type":"user","author":7}', {}],
  ['a lane that does not exist', '{"type":"user","author":7}', { id: '1', lane: '64' }],
  ['a lane that is no number', '{"type":"user","author":7}', { id: '1', lane: 'x' }]
]

for (const [what, value, headers] of bad) {
  test(`a record with ${what} holds no event`, () => {
    assert.throws(() => decode(raw(value, headers)))
  })
}
