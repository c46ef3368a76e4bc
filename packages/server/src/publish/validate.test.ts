import assert from 'node:assert/strict'
import test from 'node:test'
import { type ErrorCode, Problem } from '../domain/errors.ts'
import { PRESETS } from '../domain/limits.ts'
import { checkBatch } from './check-batch.ts'
import { checkPair, checkPost, checkPostChange, checkProfile } from './validate.ts'

const limits = { ...PRESETS['activity-feed'], contentMax: 5, attrsBytes: 20 }

function refuses(run: () => void, code: ErrorCode, ...words: readonly string[]): void {
  assert.throws(run, error => {
    assert.ok(error instanceof Problem)
    assert.equal(error.code, code)
    for (const word of words) assert.ok(error.message.includes(word), error.message)
    return true
  })
}

test('content has 1 to contentMax UTF-16 units', () => {
  checkPost({ content: 'a', attrs: {} }, limits)
  checkPost({ content: '12345', attrs: {} }, limits)
  refuses(() => checkPost({ content: '', attrs: {} }, limits), 'invalid_request', '"content"', '0')
  refuses(() => checkPost({ content: '123456', attrs: {} }, limits), 'invalid_request', '6', '5')
})

test('text that would not come back as it was sent is refused by name', () => {
  const nul = 'a\0'
  const half = '\ud800'
  refuses(() => checkPost({ content: nul, attrs: {} }, limits), 'invalid_text', '"content"')
  refuses(() => checkPostChange({ content: half }, limits), 'invalid_text', '"content"')
  refuses(() => checkPostChange({ attrs: { a: [nul] } }, limits), 'invalid_text', '"attrs"')
  refuses(() => checkPostChange({ attrs: { [half]: 1 } }, limits), 'invalid_text', '"attrs"')
  refuses(() => checkProfile({ name: half }, limits), 'invalid_text', '"name"')
  refuses(() => checkProfile({ avatar: nul }, limits), 'invalid_text', '"avatar"')
  refuses(() => checkProfile({ attributes: { a: nul } }, limits), 'invalid_text', '"attributes"')
})

test('attributes are measured as JSON bytes', () => {
  checkPost({ content: 'a', attrs: { a: '123456789012' } }, limits)
  const large = { a: '1234567890123' }
  refuses(() => checkPost({ content: 'a', attrs: large }, limits), 'invalid_request', '21', '20')
  refuses(() => checkProfile({ attributes: { a: '€€€€€' } }, limits), 'invalid_request', '23')
})

test('absent fields of a change are not looked at', () => {
  checkPostChange({}, limits)
  checkProfile({ name: null, avatar: null }, limits)
})

test('nobody relates to themselves', () => {
  checkPair(1, 2)
  refuses(() => checkPair(1, 1), 'self_relation')
})

test('a batch names the entry that is wrong', () => {
  const post = { author: 'a', content: 'x' }
  checkBatch({ posts: [post], likes: [{ user: 'a', author: 'a', externalId: '1' }] }, limits, 0)
  refuses(
    () => checkBatch({ posts: [post, { ...post, content: '' }] }, limits, 0),
    'invalid_request',
    'posts[1].content'
  )
  refuses(
    () => checkBatch({ posts: [{ ...post, externalId: '\0' }] }, limits, 0),
    'invalid_text',
    'posts[0].externalId'
  )
  refuses(
    () => checkBatch({ users: [{ id: 'a', name: '\0' }] }, limits, 0),
    'invalid_text',
    'users[0].name'
  )
  refuses(
    () => checkBatch({ follows: [{ follower: 'a', followee: 'a' }] }, limits, 0),
    'self_relation',
    'follows[0]'
  )
  refuses(
    () => checkBatch({ likes: [{ user: 'a', author: 'b' }] }, limits, 0),
    'invalid_request',
    'likes[0]'
  )
  const many = Array.from({ length: 501 }, (_, index) => ({ id: `u${index}` }))
  refuses(
    () => checkBatch({ users: many, posts: Array(500).fill(post) }, limits, 0),
    'invalid_request',
    '1001',
    '1000'
  )
})
