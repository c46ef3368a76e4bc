import assert from 'node:assert/strict'
import test from 'node:test'
import type { FeedEvent, LoggedEvent } from '../domain/event.ts'
import { BACKLOG_MS } from '../domain/limits.ts'
import { makePostId } from '../domain/post-id.ts'
import { sortBatch } from './sort-batch.ts'

const NOW = Date.UTC(2026, 0, 1)
const young = makePostId(NOW - 1000, 1, 1)
const younger = makePostId(NOW, 1, 2)
const old = makePostId(NOW - BACKLOG_MS - 1, 1, 3)

function logged(...events: readonly FeedEvent[]): LoggedEvent[] {
  return events.map((event, index) => ({ id: String(index), lane: 1, event }))
}

test('each kind of event asks for its work, each thing once', () => {
  const work = sortBatch(
    logged(
      { type: 'post', author: 1, post: younger },
      { type: 'post', author: 1, post: young },
      { type: 'post', author: 1, post: young },
      { type: 'post', author: 2, post: old },
      { type: 'edit', author: 1, post: young },
      { type: 'delete', author: 2, post: old },
      { type: 'relation', author: 1, reader: 7 },
      { type: 'relation', author: 1, reader: 7 },
      { type: 'rules', reader: 8 },
      { type: 'user', author: 9 }
    ),
    NOW
  )
  assert.deepEqual([...work.posts], [[1, [young, younger]]])
  assert.deepEqual([...work.backlog], [2])
  assert.deepEqual([...work.deletes], [[2, [old]]])
  assert.deepEqual(work.relations, [{ reader: 7, author: 1 }])
  assert.deepEqual([...work.rules], [8])
  assert.deepEqual([...work.changedPosts], [young, old])
  assert.deepEqual([...work.changedUsers], [9])
})

test('a post of exactly the backlog age is still pushed', () => {
  const edge = makePostId(NOW - BACKLOG_MS, 1, 1)
  const work = sortBatch(logged({ type: 'post', author: 1, post: edge }), NOW)
  assert.deepEqual([...work.posts], [[1, [edge]]])
})

test('what is no event is refused', () => {
  const strange = logged({ type: 'media', author: 1 } as unknown as FeedEvent)
  assert.throws(() => sortBatch(strange, NOW), /unknown type of event: media/)
})
