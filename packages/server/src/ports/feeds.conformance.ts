import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { FeedsLimits } from '../domain/limits.ts'
import { BEGINNING, END, makePostId, type PostId } from '../domain/post-id.ts'
import { NO_RULES } from '../domain/rules.ts'
import type { Change, Feeds, ListKey } from './feeds.ts'
import { type FeedsUnderTest, LIMITS, leaseOf, type Make } from './feeds-fixtures.conformance.ts'
import { everyTakeIsExact } from './feeds-history.conformance.ts'
import { describeRules } from './feeds-rules.conformance.ts'
import { describeSessions } from './feeds-sessions.conformance.ts'

const LEASE_MS = 5000

const list: ListKey = 'feed:1'
const other: ListKey = 'timeline:1'

/**
 * What every Feeds does. `make` is called for each test and cleans up through `t`. `advance` lets time go by for what
 * `make` gave; without it the tests that need hours are left out.
 */
export function feedsConformance<T extends FeedsUnderTest>(
  name: string,
  make: (t: TestContext, limits: FeedsLimits) => Promise<T>,
  advance?: (subject: T, ms: number) => Promise<void>
): void {
  const setUp = async (t: TestContext, limits: Partial<FeedsLimits> = {}) => {
    const subject = await make(t, { ...LIMITS, ...limits })
    const { feeds, clock } = subject
    const start = clock.now()
    const ago = (s: number, seq = 0) => makePostId(start - s * 1000, 7, seq)
    return { subject, feeds, clock, ago }
  }
  describe(`${name}: lists`, () => describeLists(setUp))
  describe(`${name}: building`, () => describeBuilding(setUp))
  describe(`${name}: rules`, () => describeRules(setUp))
  describe(`${name}: sessions`, () => describeSessions(setUp, advance))
  describe(`${name}: the rest`, () => describeRest(setUp))
  if (advance) describe(`${name}: in time`, () => describeTime(setUp, advance))
  test(`${name}: every take is exact`, async t => {
    await everyTakeIsExact(await make(t, LIMITS), LIMITS.cap, advance)
  })
}

/** Makes a list warm that holds `ids` and nothing below. */
async function warm(feeds: Feeds, key: ListKey, ids: readonly PostId[] = []): Promise<void> {
  assert.equal(await feeds.begin(key, 'warm'), true)
  assert.equal(await feeds.finish(key, 'warm', ids, true), true)
}

async function idsOf(feeds: Feeds, key: ListKey, below = END, limit = 100) {
  const taken = await feeds.take(key, below, limit)
  assert.equal(taken.state, 'warm')
  return taken.ids
}

function describeLists<T extends FeedsUnderTest>(setUp: Make<T>): void {
  test('what was never built is cold and stays so', async t => {
    const { feeds, ago } = await setUp(t)
    await feeds.push([{ list, id: ago(1) }])
    await feeds.settle(list)
    await feeds.remove(list, [ago(1)])
    const taken = await feeds.take(list, END, 10)
    assert.equal(taken.state, 'cold')
    assert.deepEqual(taken.ids, [])
    assert.equal(await feeds.lowestFloor(list), null)
  })

  test('a list without ids can be warm: complete to the beginning', async t => {
    const { feeds } = await setUp(t)
    await warm(feeds, list)
    const taken = await feeds.take(list, END, 10)
    assert.deepEqual([taken.state, taken.ids, taken.floor], ['warm', [], BEGINNING])
    assert.equal(await feeds.lowestFloor(list), BEGINNING)
  })

  test('pushes reach the lists they name, each once, in order of ids', async t => {
    const { feeds, ago } = await setUp(t)
    const ids = [ago(1, 3), ago(1, 2), ago(1, 1), ago(5)]
    await warm(feeds, list, [ago(60)])
    await warm(feeds, other)
    await feeds.push([ids[3]!, ids[1]!, ids[0]!, ids[2]!, ids[1]!].map(id => ({ list, id })))
    await feeds.push([{ list: other, id: ids[0]! }])
    assert.deepEqual((await idsOf(feeds, list)).slice(0, 4), ids)
    assert.equal((await idsOf(feeds, list)).length, 5)
    assert.deepEqual(await idsOf(feeds, other), [ids[0]])
  })

  test('each push is told what became of it', async t => {
    const { feeds, ago } = await setUp(t)
    const [young, old] = [ago(1), ago(60)]
    await warm(feeds, list)
    await feeds.begin(other, 'x')
    const pushed = await feeds.push([
      { list, id: young },
      { list: 'feed:2', id: young },
      { list: other, id: young },
      { list, id: old },
      { list: 'feed:2', id: old, late: true },
      { list: other, id: ago(2), late: true }
    ])
    const [, , , , , late = ''] = pushed
    assert.match(late, /^(late|pushed)$/)
    assert.deepEqual(pushed, ['pushed', 'cold', 'pushed', late, 'cold', late])
    assert.deepEqual(await feeds.push([]), [])
  })

  test('a take gives up to the limit, strictly below the bound', async t => {
    const { feeds, ago } = await setUp(t)
    const ids = [ago(1), ago(2), ago(3), ago(4)]
    await warm(feeds, list, ids)
    assert.deepEqual(await idsOf(feeds, list, END, 2), ids.slice(0, 2))
    assert.deepEqual(await idsOf(feeds, list, ids[1], 2), ids.slice(2))
    assert.deepEqual(await idsOf(feeds, list, ids[3], 2), [])
    assert.deepEqual(await idsOf(feeds, list, ago(2, 1), 1), [ids[1]])
  })

  test('old ids, and those marked late, come in their place; settling keeps them', async t => {
    const { feeds, ago } = await setUp(t)
    const ids = [ago(1), ago(2), ago(3), ago(60), ago(600), ago(7200)]
    await warm(feeds, list, [ids[0]!, ids[4]!])
    await feeds.push([ids[3]!, ids[5]!].map(id => ({ list, id })))
    await feeds.push([ids[1]!, ids[2]!].map(id => ({ list, id, late: true })))
    assert.deepEqual(await idsOf(feeds, list), ids)
    await feeds.settle(list)
    const settled = await feeds.take(list, END, 100)
    assert.deepEqual(settled.ids, ids)
    assert.equal(settled.unsettled, false)
    assert.equal(settled.floor, BEGINNING)
  })

  test('late ids alone can be in a list', async t => {
    const { feeds, ago } = await setUp(t)
    await warm(feeds, list)
    await feeds.push([{ list, id: ago(100) }])
    assert.deepEqual(await idsOf(feeds, list), [ago(100)])
  })

  test('a list that grows is cut, and its floor tells where', async t => {
    const { feeds, ago } = await setUp(t)
    const ids = Array.from({ length: 40 }, (_, i) => ago(40_000 - i * 1000))
    await warm(feeds, list)
    for (const id of ids) await feeds.push([{ list, id }])
    await feeds.push([{ list, id: ago(1) }])
    const { ids: kept, floor, state } = await feeds.take(list, END, 100)
    assert.equal(state, 'warm')
    assert.ok(kept.length <= LIMITS.cap + LIMITS.slack, `${kept.length} are kept`)
    assert.ok(floor > BEGINNING)
    const above = [ago(1), ...ids.toReversed()].filter(id => id > floor)
    assert.deepEqual(kept, above)
  })

  test('pushes of 9 s ago may stand behind younger ones, however many', async t => {
    const { feeds, ago } = await setUp(t, { cap: 500 })
    const young = Array.from({ length: 80 }, (_, i) => ago(1, 80 - i))
    const older = Array.from({ length: 80 }, (_, i) => ago(9, 80 - i))
    const old = Array.from({ length: 80 }, (_, i) => ago(100 + i))
    await warm(feeds, list, old)
    for (const ids of [young, older]) await feeds.push(ids.toReversed().map(id => ({ list, id })))
    assert.deepEqual(await idsOf(feeds, list, END, 20), young.slice(0, 20))
    assert.deepEqual(await idsOf(feeds, list, young[9], 100), [...young, ...older].slice(10, 110))
    assert.deepEqual(await idsOf(feeds, list, older[70], 100), [...older.slice(71), ...old])
  })

  test('a list that is read as cold can be begun, whatever is left of it', async t => {
    const { feeds, ago } = await setUp(t)
    await warm(feeds, list)
    const ids = Array.from({ length: 2 * LIMITS.cap }, (_, i) => ago(100 + i))
    for (const id of ids) await feeds.push([{ list, id }])
    const { state } = await feeds.take(list, END, 1)
    assert.equal(await feeds.begin(list, 'x'), state === 'cold')
    assert.equal((await feeds.lowestFloor(list)) === null, false)
  })

  test('removed ids are gone, in whatever form they came', async t => {
    const { feeds, ago } = await setUp(t)
    await warm(feeds, list, [ago(3)])
    await feeds.push([1, 2, 60].map(s => ({ list, id: ago(s) })))
    await feeds.push([{ list, id: ago(1), late: true }])
    await feeds.remove(list, [ago(1), ago(60), ago(9999)])
    assert.deepEqual(await idsOf(feeds, list), [ago(2), ago(3)])
    await feeds.push([{ list, id: ago(1) }])
    assert.deepEqual(await idsOf(feeds, list), [ago(1), ago(2), ago(3)])
  })

  test('dropped lists are cold, others stay', async t => {
    const { feeds, ago } = await setUp(t)
    await warm(feeds, list, [ago(1)])
    await warm(feeds, other, [ago(1)])
    await feeds.drop([list, 'feed:99'])
    assert.equal((await feeds.take(list, END, 1)).state, 'cold')
    assert.deepEqual(await idsOf(feeds, other), [ago(1)])
  })
}

function describeBuilding<T extends FeedsUnderTest>(setUp: Make<T>): void {
  test('one builder a list', async t => {
    const { feeds } = await setUp(t)
    assert.deepEqual(
      await Promise.all(['a', 'b', 'c'].map(token => feeds.begin(list, token))).then(won =>
        won.filter(Boolean)
      ),
      [true]
    )
    assert.equal((await feeds.take(list, END, 1)).state, 'building')
    assert.equal(await feeds.lowestFloor(list), BEGINNING)
  })

  test('a warm list is not begun', async t => {
    const { feeds, ago } = await setUp(t)
    await warm(feeds, list, [ago(1)])
    assert.equal(await feeds.begin(list, 'x'), false)
    assert.deepEqual(await idsOf(feeds, list), [ago(1)])
  })

  test('what is pushed meanwhile is kept, late or not', async t => {
    const { feeds, ago } = await setUp(t)
    await feeds.begin(list, 'x')
    await feeds.push([1, 60, 3].map(s => ({ list, id: ago(s) })))
    await feeds.settle(list)
    assert.equal((await feeds.take(list, END, 1)).state, 'building')
    assert.equal(await feeds.finish(list, 'x', [ago(3), ago(50), ago(70)], true), true)
    const taken = await feeds.take(list, END, 100)
    assert.deepEqual(
      taken.ids,
      [1, 3, 50, 60, 70].map(s => ago(s))
    )
    assert.equal(taken.floor, BEGINNING)
  })

  test('over the cap, the first id dropped is the floor', async t => {
    const { feeds, ago } = await setUp(t)
    const ids = Array.from({ length: LIMITS.cap + 1 }, (_, i) => ago(100 + i))
    await feeds.begin(list, 'x')
    await feeds.finish(list, 'x', ids, false)
    const taken = await feeds.take(list, END, 100)
    assert.deepEqual(taken.ids, ids.slice(0, -1))
    assert.equal(taken.floor, ids.at(-1))
    await feeds.push([{ list, id: ago(9999) }])
    assert.deepEqual(await idsOf(feeds, list), ids.slice(0, -1), 'below the floor nothing is shown')
  })

  test('an incomplete build claims no more than it knows', async t => {
    const { feeds, ago } = await setUp(t)
    await feeds.begin(list, 'x')
    await feeds.finish(list, 'x', [ago(1), ago(2)], false)
    const taken = await feeds.take(list, END, 100)
    assert.ok(taken.floor >= ago(2))
    await feeds.begin(other, 'x')
    assert.equal(await feeds.finish(other, 'x', [], false), true)
    assert.equal((await feeds.take(other, END, 1)).state, 'cold')
  })

  test('another token, or none, ends no build and changes nothing', async t => {
    const { feeds, ago } = await setUp(t)
    assert.equal(await feeds.finish(list, 'x', [ago(1)], true), false)
    await feeds.begin(list, 'x')
    await feeds.drop([list])
    await feeds.begin(list, 'y')
    await feeds.push([{ list, id: ago(2) }])
    assert.equal(await feeds.finish(list, 'x', [ago(1)], true), false)
    assert.equal((await feeds.take(list, END, 1)).state, 'building')
    assert.equal(await feeds.finish(list, 'y', [ago(3)], true), true)
    assert.equal(await feeds.finish(list, 'y', [ago(4)], true), false)
    assert.deepEqual(await idsOf(feeds, list), [ago(2), ago(3)])
  })

  test('a build that was dropped is lost', async t => {
    const { feeds, ago } = await setUp(t)
    await feeds.begin(list, 'x')
    await feeds.drop([list])
    assert.equal(await feeds.finish(list, 'x', [ago(1)], true), false)
    assert.equal((await feeds.take(list, END, 1)).state, 'cold')
  })

  test('ids removed during a build are not kept by it', async t => {
    const { feeds, ago } = await setUp(t)
    await feeds.begin(list, 'x')
    await feeds.push([1, 2].map(s => ({ list, id: ago(s) })))
    await feeds.remove(list, [ago(1)])
    await feeds.finish(list, 'x', [], true)
    assert.deepEqual(await idsOf(feeds, list), [ago(2)])
  })
}

function describeRest<T extends FeedsUnderTest>(setUp: Make<T>): void {
  test('clear forgets lists, rules and leases', async t => {
    const { feeds, ago } = await setUp(t)
    await warm(feeds, list, [ago(1)])
    await feeds.begin(other, 'x')
    await feeds.fillRules(1, await leaseOf(feeds, 1), NO_RULES)
    const stale = await leaseOf(feeds, 2)
    await feeds.clear()
    assert.equal((await feeds.take(list, END, 1)).state, 'cold')
    assert.equal(await feeds.finish(other, 'x', [], true), false)
    await feeds.fillRules(2, stale, NO_RULES)
    await leaseOf(feeds, 1)
    await leaseOf(feeds, 2)
  })

  test('lists go with the epoch they were made under, and stay within it', async t => {
    const { feeds, ago } = await setUp(t)
    await feeds.adopt(1)
    await warm(feeds, list, [ago(1)])
    assert.equal(await feeds.adopt(1), false)
    assert.deepEqual(await idsOf(feeds, list), [ago(1)])
    assert.equal(await feeds.adopt(2), true)
    assert.equal((await feeds.take(list, END, 1)).state, 'cold')
  })

  test('every listener hears what is announced, before the announcer goes on', async t => {
    const { feeds, ago } = await setUp(t)
    const heard: Change[] = []
    feeds.subscribe(change => heard.push(change))
    feeds.subscribe(change => heard.push(change))
    const change = { posts: [ago(1)], users: [2 ** 40] }
    await feeds.announce(change)
    assert.deepEqual(heard, [change, change])
    assert.equal(feeds.inStep(), true)
  })

  test('stats count the warm lists', async t => {
    const { feeds, ago } = await setUp(t)
    await warm(feeds, list, [ago(1)])
    await warm(feeds, other)
    await feeds.begin('feed:2', 'x')
    const { warm: count, bytes } = await feeds.stats()
    assert.equal(count, 2)
    assert.ok(bytes > 0)
    assert.equal(await feeds.expire(), 0)
    assert.deepEqual(await idsOf(feeds, list), [ago(1)])
  })
}

function describeTime<T extends FeedsUnderTest>(
  setUp: Make<T>,
  advance: (subject: T, ms: number) => Promise<void>
): void {
  test('a list that nobody takes from is forgotten; pushes do not keep it', async t => {
    const { subject, feeds, ago } = await setUp(t)
    await warm(feeds, list)
    await advance(subject, LIMITS.idleMs * 0.6)
    await idsOf(feeds, list)
    await advance(subject, LIMITS.idleMs * 0.6)
    await idsOf(feeds, list)
    await advance(subject, LIMITS.idleMs * 0.6)
    await feeds.push([{ list, id: ago(1) }])
    await feeds.settle(list)
    await advance(subject, LIMITS.idleMs * 0.6)
    assert.equal((await feeds.take(list, END, 1)).state, 'cold')
  })

  test('a builder that died frees its list; reads do not keep it', async t => {
    const { subject, feeds, ago } = await setUp(t)
    await feeds.begin(list, 'dead')
    await advance(subject, LIMITS.buildMs * 0.6)
    assert.equal((await feeds.take(list, END, 1)).state, 'building')
    await feeds.push([{ list, id: ago(1) }])
    await advance(subject, LIMITS.buildMs * 0.6)
    assert.equal((await feeds.take(list, END, 1)).state, 'cold')
    assert.equal(await feeds.finish(list, 'dead', [], true), false)
    assert.equal(await feeds.begin(list, 'next'), true)
    assert.equal(await feeds.finish(list, 'dead', [], true), false)
  })

  test('a finished build lives as long as any list', async t => {
    const { subject, feeds } = await setUp(t)
    await warm(feeds, list)
    await advance(subject, LIMITS.buildMs * 2)
    assert.deepEqual(await idsOf(feeds, list), [])
  })

  test('a loader that died frees its lease, and fills nothing after', async t => {
    const { subject, feeds } = await setUp(t)
    const dead = await leaseOf(feeds, 1)
    await advance(subject, LEASE_MS * 0.6)
    assert.deepEqual(await feeds.rules(1), { lease: null })
    await advance(subject, LEASE_MS * 0.6)
    await feeds.fillRules(1, dead, NO_RULES)
    const lease = await leaseOf(feeds, 1)
    await feeds.fillRules(1, lease, NO_RULES)
    await advance(subject, LEASE_MS * 2)
    assert.deepEqual(await feeds.rules(1), { rules: NO_RULES })
  })

  test('expire forgets what is over, without being asked for it', async t => {
    const { subject, feeds } = await setUp(t)
    await warm(feeds, list)
    await feeds.begin(other, 'x')
    await advance(subject, LIMITS.idleMs * 2)
    await feeds.expire()
    assert.deepEqual(await feeds.stats(), { warm: 0, bytes: 0 })
  })
}
