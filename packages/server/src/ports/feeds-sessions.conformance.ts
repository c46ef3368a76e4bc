import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FeedsUnderTest, LIMITS, type Make } from './feeds-fixtures.conformance.ts'

export function describeSessions<T extends FeedsUnderTest>(
  setUp: Make<T>,
  advance?: (subject: T, ms: number) => Promise<void>
): void {
  test('a session grows at its end, and only from where it ends', async t => {
    const { feeds, ago } = await setUp(t)
    assert.equal(await feeds.session(1, null), null)
    assert.equal(await feeds.session(1, 'a'), null)
    assert.equal(await feeds.extendSession(1, 'a', 1, [ago(1)]), false, 'there is none')
    assert.equal(await feeds.extendSession(1, 'a', 0, [ago(1), ago(2)]), true)
    assert.equal(await feeds.extendSession(1, 'a', 0, [ago(3)]), false, 'somebody was quicker')
    assert.equal(await feeds.extendSession(1, 'a', 2, [ago(3)]), true)
    assert.equal(await feeds.extendSession(1, 'a', 3, []), true)
    const session = { id: 'a', ids: [ago(1), ago(2), ago(3)] }
    assert.deepEqual(await feeds.session(1, 'a'), session)
    assert.deepEqual(await feeds.session(1, null), session)
    assert.equal(await feeds.session(2, 'a'), null, "it is one reader's")
  })

  test('the two made last are kept; an empty one is one', async t => {
    const { feeds, ago } = await setUp(t)
    assert.equal(await feeds.extendSession(1, 'a', 0, []), true)
    assert.deepEqual(await feeds.session(1, null), { id: 'a', ids: [] })
    await feeds.extendSession(1, 'b', 0, [ago(1)])
    await feeds.extendSession(1, 'a', 0, [ago(2)])
    assert.equal((await feeds.session(1, null))?.id, 'b', 'growing is not being made')
    await feeds.extendSession(1, 'c', 0, [ago(3)])
    assert.equal(await feeds.session(1, 'a'), null)
    assert.deepEqual(await feeds.session(1, 'b'), { id: 'b', ids: [ago(1)] })
    assert.deepEqual(await feeds.session(1, null), { id: 'c', ids: [ago(3)] })
    await feeds.clear()
    assert.equal(await feeds.session(1, 'c'), null)
    assert.equal(await feeds.extendSession(1, 'c', 1, [ago(4)]), false)
  })

  test('only one of many that grow a session at once does', async t => {
    const { feeds, ago } = await setUp(t)
    const grown = await Promise.all(
      Array.from({ length: 10 }, (_, n) => feeds.extendSession(1, 'a', 0, [ago(n)]))
    )
    assert.equal(grown.filter(Boolean).length, 1)
    assert.equal((await feeds.session(1, 'a'))?.ids.length, 1)
  })

  if (advance === undefined) return
  test('sessions are forgotten when they have not grown for their time', async t => {
    const { feeds, subject, ago } = await setUp(t)
    await feeds.extendSession(1, 'a', 0, [ago(1)])
    await advance(subject, LIMITS.sessionMs * 0.6)
    await feeds.extendSession(1, 'a', 1, [ago(2)])
    await advance(subject, LIMITS.sessionMs * 0.6)
    assert.equal((await feeds.session(1, 'a'))?.ids.length, 2)
    await advance(subject, LIMITS.sessionMs * 0.6)
    assert.equal(await feeds.session(1, 'a'), null)
  })

  test('a feed that is kept from its build on is not renewed by reads', async t => {
    const { feeds, subject } = await setUp(t, { idleFrom: 'build' })
    const list = 'feed:1'
    await feeds.begin(list, 'x')
    await feeds.finish(list, 'x', [], true)
    const state = async () => (await feeds.take(list, '9'.repeat(19), 1)).state
    await advance(subject, LIMITS.idleMs * 0.6)
    assert.equal(await state(), 'warm')
    await advance(subject, LIMITS.idleMs * 0.6)
    assert.equal(await state(), 'cold')
  })

  test('an empty feed may live shorter than others', async t => {
    const { feeds, subject, ago } = await setUp(t, { emptyMs: 60_000, idleFrom: 'build' })
    for (const [list, ids] of [
      ['feed:1', []],
      ['feed:2', [ago(9)]]
    ] as const) {
      await feeds.begin(list, 'x')
      await feeds.finish(list, 'x', ids, true)
    }
    const states = async () =>
      Promise.all(
        (['feed:1', 'feed:2'] as const).map(
          async list => (await feeds.take(list, '9'.repeat(19), 1)).state
        )
      )
    await advance(subject, 30_000)
    assert.deepEqual(await states(), ['warm', 'warm'])
    await advance(subject, 31_000)
    assert.deepEqual(await states(), ['cold', 'warm'])
  })
}
