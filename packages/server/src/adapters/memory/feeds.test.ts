import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FeedsLimits } from '../../domain/limits.ts'
import { END, makePostId, type PostId } from '../../domain/post-id.ts'
import { NO_RULES } from '../../domain/rules.ts'
import { feedsConformance } from '../../ports/feeds.conformance.ts'
import type { Feeds, ListKey } from '../../ports/feeds.ts'
import { createMemoryFeeds } from './feeds.ts'
import { createVirtualClock } from './virtual-clock.ts'

feedsConformance(
  'memory feeds',
  async (t, limits) => {
    const clock = createVirtualClock()
    const feeds = createMemoryFeeds({ clock, limits })
    t.after(() => feeds[Symbol.asyncDispose]())
    return { feeds, clock }
  },
  ({ clock }, ms) => clock.advance(ms)
)

const limits = { cap: 100, slack: 10, idleMs: 1_000_000, buildMs: 10_000 }

async function warm(feeds: Feeds, list: ListKey, ids: readonly PostId[] = []): Promise<void> {
  await feeds.begin(list, 'x')
  await feeds.finish(list, 'x', ids, true)
}

function make(bytesMax: number, changes: Partial<FeedsLimits> = {}) {
  const clock = createVirtualClock()
  const evicted: number[] = []
  const telemetry = { count: (_: string, by = 1) => evicted.push(by) }
  const feeds = createMemoryFeeds({
    clock,
    limits: { ...limits, ...changes },
    bytesMax,
    telemetry
  })
  return { clock, feeds, evicted }
}

async function stateOf(feeds: Feeds, list: ListKey) {
  return (await feeds.take(list, END, 1)).state
}

test('over the byte budget, the lists go that were taken from least recently', async () => {
  const { feeds, evicted } = make(10_000)
  let built = 0
  while (evicted.length === 0) {
    await warm(feeds, `feed:${++built}`)
    await feeds.take('feed:1', END, 1)
  }
  assert.ok(built > 5, `only ${built} lists fit`)
  assert.deepEqual(evicted, [1])
  assert.equal(await stateOf(feeds, 'feed:2'), 'cold')
  for (const kept of [1, 3, built]) assert.equal(await stateOf(feeds, `feed:${kept}`), 'warm')
})

test('sessions take a part of the budget only where pages are numbered', async () => {
  const fit = async (numberedPages: boolean) => {
    const { feeds, evicted } = make(100_000, { numberedPages })
    let built = 0
    while (evicted.length === 0) await warm(feeds, `feed:${++built}`)
    return built
  }
  const [without, withThem] = [await fit(false), await fit(true)]
  assert.ok(
    Math.abs(without / withThem - 7 / 6) < 0.02,
    `${without} lists, ${withThem} beside them`
  )
})

test('pushes count against the budget, and trimming gives back', async () => {
  const { feeds, clock, evicted } = make(100_000)
  await warm(feeds, 'feed:1')
  const empty = (await feeds.stats()).bytes
  const sizes = new Set<number>()
  for (let i = 0; i < 1000; i++) {
    await feeds.push([{ list: 'feed:1', id: makePostId(clock.now(), 1, i) }])
    sizes.add((await feeds.stats()).bytes)
  }
  assert.equal(sizes.size, limits.cap + limits.slack - 1, 'from marker and id to cap and slack')
  assert.deepEqual(evicted, [])
  await feeds.drop(['feed:1'])
  assert.equal((await feeds.stats()).bytes, 0)
  assert.ok(empty > 0)
})

test('a list that is pushed over the budget goes, whole', async () => {
  const { feeds, clock } = make(2000)
  await warm(feeds, 'feed:1')
  const pushes = Array.from({ length: 90 }, (_, i) => ({
    list: 'feed:1' as const,
    id: makePostId(clock.now(), 1, i)
  }))
  await feeds.push(pushes)
  assert.deepEqual(await feeds.stats(), { warm: 0, bytes: 0 })
})

test('rules live within the budget and for an hour', async () => {
  const { feeds, clock } = make(100_000)
  for (let reader = 1; reader <= 1000; reader++) {
    const read = await feeds.rules(reader)
    if ('lease' in read && read.lease) await feeds.fillRules(reader, read.lease, NO_RULES)
  }
  assert.ok((await feeds.stats()).bytes <= 100_000 / 8)
  assert.deepEqual(await feeds.rules(1000), { rules: NO_RULES })
  await clock.advance(3_600_000)
  assert.ok('lease' in (await feeds.rules(1000)))
  assert.equal(await feeds.expire(), 0, 'rules are not counted')
})

test('late is what is old by the clock when it is written, or said to be', async () => {
  const { feeds, clock } = make(100_000)
  const id = makePostId(clock.now(), 1, 1)
  const unsettled = async () => (await feeds.take('feed:1', END, 1)).unsettled
  await warm(feeds, 'feed:1')
  await clock.advance(15_000)
  await feeds.push([{ list: 'feed:1', id }])
  assert.equal(await unsettled(), false)
  await clock.advance(1)
  await feeds.push([{ list: 'feed:1', id }])
  assert.equal(await unsettled(), true)
  await feeds.settle('feed:1')
  assert.equal(await unsettled(), false)
  await feeds.push([{ list: 'feed:1', id: makePostId(clock.now(), 1, 1), late: true }])
  assert.equal(await unsettled(), true)
})

test('a read of a deep list finds every page', async () => {
  const { feeds, clock } = make(1_000_000)
  const ids = Array.from({ length: 100 }, (_, i) => makePostId(clock.now() - i * 7000, 1, i))
  await warm(feeds, 'feed:1', ids)
  for (let i = 0; i < ids.length; i++) {
    const { ids: page } = await feeds.take('feed:1', ids[i]!, 20)
    assert.deepEqual(page, ids.slice(i + 1, i + 21))
  }
})

test('a snapshot brings back lists and rules as they were, and can do so again', async () => {
  const { feeds, clock } = make(10_000_000)
  const list = 'feed:1'
  await warm(feeds, list)
  const read = await feeds.rules(1)
  assert.ok('lease' in read && read.lease !== null)
  await feeds.fillRules(1, read.lease, NO_RULES)
  const restore = feeds.snapshot()
  for (let times = 0; times < 2; times++) {
    await feeds.push([{ list, id: makePostId(clock.now(), 0, 1) }])
    await feeds.dropRules([1])
    restore()
    assert.deepEqual((await feeds.take(list, END, 10)).ids, [])
    assert.ok('rules' in (await feeds.rules(1)))
  }
})
