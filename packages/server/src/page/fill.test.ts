// How a page of any size is filled: in steps, so that its bounds are met between them.
import assert from 'node:assert/strict'
import test from 'node:test'
import { createVirtualClock } from '../adapters/memory/virtual-clock.ts'
import { BEGINNING, END, type PostId, shiftId } from '../domain/post-id.ts'
import { fillPage } from './fill.ts'
import type { Hydrated } from './hydrate.ts'
import type { Ask, Skeleton } from './skeleton.ts'

const FIRST: PostId = '3706134598780174346'
const STEP_MS = 10
const COUNT = 3000
const all = Array.from({ length: COUNT }, (_, n) => shiftId(FIRST, (COUNT - n) * 1000))

/** Each look costs some time. */
function setUp(pageMs: number) {
  const clock = createVirtualClock()
  const asks: Ask[] = []
  const skeleton: Skeleton = async ask => {
    asks.push(ask)
    await clock.advance(STEP_MS)
    const ids = all.filter(id => id < ask.from).slice(0, ask.want)
    return { ids, exhausted: ids.length < ask.want, usedFeeds: false, usedStore: true }
  }
  const keep = async (ids: readonly PostId[]) => ids.map(id => ({ id }) as Hydrated)
  const context = { clock, limits: { pageMs, pageScan: 5000 } }
  const fill = (limit: number, from: PostId = END) =>
    fillPage(context, { from, until: BEGINNING, limit }, skeleton, keep)
  return { fill, asks }
}

test('many posts are asked for in steps', async () => {
  const { fill, asks } = setUp(60_000)
  const { posts, next, partial } = await fill(1000)
  assert.deepEqual(
    posts.map(({ id }) => id),
    all.slice(0, 1000)
  )
  assert.deepEqual([next, partial], [all[999], false])
  assert.ok(asks.every(({ want }) => want <= 200))
})

test('a page that takes too long is cut short between two steps, and goes on where it was', async () => {
  const { fill } = setUp(2 * STEP_MS)
  const first = await fill(1000)
  assert.equal(first.partial, true)
  assert.equal(first.next, first.posts.at(-1)?.id)
  const second = await fill(1000, first.next ?? END)
  const ids = [...first.posts, ...second.posts].map(({ id }) => id)
  assert.deepEqual(ids, all.slice(0, ids.length))
})

test('a page of ordinary size asks for one post more than it shows', async () => {
  const { fill, asks } = setUp(60_000)
  await fill(100)
  assert.deepEqual(
    asks.map(({ want }) => want),
    [101]
  )
})
