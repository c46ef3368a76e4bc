import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Post } from '../domain/post.ts'
import type { User } from '../domain/user.ts'
import { presentAuthor, presentBody } from './present.ts'

test('what is cached keeps no more memory alive than it counts', () => {
  const post = { id: '3706134493923069957', content: 'hello', attrs: {}, editedAt: null }
  const user = { id: 'ada', name: 'Ada', avatar: null, attributes: {} }
  for (const bytes of [presentBody(post as Post), presentAuthor(user as User)])
    assert.equal(bytes.buffer.byteLength, bytes.byteLength)
})
