import assert from 'node:assert/strict'
import { test } from 'node:test'
import { END, makePostId } from '../../domain/post-id.ts'
import { takeFromZset } from './zsets.ts'

const MS = 1_700_000_000_000
const id = (ms: number, seq: number) => makePostId(MS + ms, 1, seq)

test('ids of one ms come newest first, though they are kept oldest first', () => {
  const members = [id(2, 1), id(2, 2), id(1, 1), 'f0']
  const page = takeFromZset({ members, last: 'f0', whole: true }, END, 10)
  assert.deepEqual(page?.ids, [id(2, 2), id(2, 1), id(1, 1)])
})

test('a read that ends within a ms leaves that ms out, and is too short if it needs it', () => {
  const members = [id(3, 1), id(2, 1), id(2, 2)]
  const read = { members, last: 'f0', whole: false }
  assert.deepEqual(takeFromZset(read, END, 1)?.ids, [id(3, 1)])
  assert.equal(takeFromZset(read, END, 2), null)
})

test('a cursor within a ms gives the rest of it', () => {
  const members = [id(2, 1), id(2, 2), id(2, 3), id(1, 1), 'f0']
  const read = { members, last: 'f0', whole: true }
  assert.deepEqual(takeFromZset(read, id(2, 2), 10)?.ids, [id(2, 1), id(1, 1)])
})

test('without a marker it is cold; below the floor nothing is shown', () => {
  assert.equal(
    takeFromZset({ members: [id(1, 1)], last: id(1, 1), whole: true }, END, 1)?.state,
    'cold'
  )
  const last = `f${id(1, 5)}`
  const members = [id(2, 1), id(1, 1), last]
  assert.deepEqual(takeFromZset({ members, last, whole: true }, END, 10)?.ids, [id(2, 1)])
})
