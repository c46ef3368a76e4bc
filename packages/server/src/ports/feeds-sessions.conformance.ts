import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PostId } from '../domain/post-id.ts'
import type { Session } from './feeds.ts'
import { type FeedsUnderTest, LIMITS, type Make } from './feeds-fixtures.conformance.ts'

const ALL = { from: 0, to: 100 }

function sessionOf(id: string, ids: readonly PostId[]): Session {
  return { id, length: ids.length, last: ids.at(-1) ?? null, ids }
}

export function describeSessions<T extends FeedsUnderTest>(
  setUp: Make<T>,
  advance?: (subject: T, ms: number) => Promise<void>
): void {
  test('a session grows at its end, and only from where it ends', async t => {
    const { feeds, ago } = await setUp(t)
    assert.equal(await feeds.session(1, null, ALL), null)
    assert.equal(await feeds.session(1, 'a', ALL), null)
    assert.equal(await feeds.extendSession(1, 'a', 1, [ago(1)]), false, 'there is none')
    assert.equal(await feeds.extendSession(1, 'a', 0, [ago(1), ago(2)]), true)
    assert.equal(await feeds.extendSession(1, 'a', 0, [ago(3)]), false, 'somebody was quicker')
    assert.equal(await feeds.extendSession(1, 'a', 2, [ago(3)]), true)
    assert.equal(await feeds.extendSession(1, 'a', 3, []), true)
    const session = sessionOf('a', [ago(1), ago(2), ago(3)])
    assert.deepEqual(await feeds.session(1, 'a', ALL), session)
    assert.deepEqual(await feeds.session(1, null, ALL), session)
    assert.equal(await feeds.session(2, 'a', ALL), null, "it is one reader's")
  })

  test('a session of thousands gives the part that is asked for', async t => {
    const { feeds, ago } = await setUp(t)
    const ids = Array.from({ length: 3205 }, (_, n) => ago(n + 1))
    const sizes = [1, 998, 1, 0, 1500, 700]
    for (let length = 0, at = 0; length < ids.length; at++) {
      const size = sizes[at] ?? 5
      const part = ids.slice(length, length + size)
      assert.equal(await feeds.extendSession(1, 'a', length, part), true)
      length += size
    }
    for (const from of [0, 1, 998, 999, 1000, 1001, 1999, 3199, 3204, 3205, 9000])
      for (const size of [1, 2, 1000, 2500]) {
        const part = { from, to: from + size }
        const wanted = { ...sessionOf('a', ids), ids: ids.slice(from, from + size) }
        assert.deepEqual(await feeds.session(1, 'a', part), wanted, `${size} from ${from}`)
      }
    for (const id of ['b', 'c']) await feeds.extendSession(1, id, 0, [ago(1)])
    assert.equal(await feeds.session(1, 'a', ALL), null)
    assert.equal(await feeds.extendSession(1, 'a', 0, ids.slice(0, 2)), true)
    assert.deepEqual(await feeds.session(1, 'a', ALL), sessionOf('a', ids.slice(0, 2)))
  })

  test('the two made last are kept; an empty one is one', async t => {
    const { feeds, ago } = await setUp(t)
    assert.equal(await feeds.extendSession(1, 'a', 0, []), true)
    assert.deepEqual(await feeds.session(1, null, ALL), sessionOf('a', []))
    await feeds.extendSession(1, 'b', 0, [ago(1)])
    await feeds.extendSession(1, 'a', 0, [ago(2)])
    assert.equal((await feeds.session(1, null, ALL))?.id, 'b', 'growing is not being made')
    await feeds.extendSession(1, 'c', 0, [ago(3)])
    assert.equal(await feeds.session(1, 'a', ALL), null)
    assert.deepEqual(await feeds.session(1, 'b', ALL), sessionOf('b', [ago(1)]))
    assert.deepEqual(await feeds.session(1, null, ALL), sessionOf('c', [ago(3)]))
    for (const other of ['', 'names', 'c.end', 'c.0', 'b,c'])
      assert.equal(await feeds.session(1, other, ALL), null, 'no session is called so')
    await feeds.clear()
    assert.equal(await feeds.session(1, 'c', ALL), null)
    assert.equal(await feeds.extendSession(1, 'c', 1, [ago(4)]), false)
  })

  test('only one of many that grow a session at once does', async t => {
    const { feeds, ago } = await setUp(t)
    const grown = await Promise.all(
      Array.from({ length: 10 }, (_, n) => feeds.extendSession(1, 'a', 0, [ago(n)]))
    )
    assert.equal(grown.filter(Boolean).length, 1)
    assert.equal((await feeds.session(1, 'a', ALL))?.length, 1)
  })

  if (advance === undefined) return
  test('sessions are forgotten when they have not grown for their time', async t => {
    const { feeds, subject, ago } = await setUp(t)
    await feeds.extendSession(1, 'a', 0, [ago(1)])
    await advance(subject, LIMITS.sessionMs * 0.6)
    await feeds.extendSession(1, 'a', 1, [ago(2)])
    await advance(subject, LIMITS.sessionMs * 0.6)
    assert.equal((await feeds.session(1, 'a', ALL))?.length, 2)
    await advance(subject, LIMITS.sessionMs * 0.6)
    assert.equal(await feeds.session(1, 'a', ALL), null)
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
