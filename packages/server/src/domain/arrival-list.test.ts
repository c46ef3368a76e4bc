import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  finished,
  firstRead,
  isCold,
  keptLength,
  longerRead,
  lowestFloorOf,
  settled,
  takeFrom
} from './arrival-list.ts'
import { idOf, lateEntry } from './entry.ts'
import { WINDOW_MS } from './limits.ts'
import { BEGINNING, END, makePostId, shiftId } from './post-id.ts'

const T = 1_760_000_000_000
/** An id made `s` seconds after T. */
const at = (s: number, seq = 0) => makePostId(T + s * 1000, 3, seq)
const whole = (head: readonly string[]) => ({ head, last: head.at(-1), whole: true })
const take = (head: readonly string[], below = END, limit = 20) =>
  takeFrom(whole(head), below, limit)

describe('take', () => {
  test('no list, a list without floor, a list that is being built', () => {
    assert.equal(take([])?.state, 'cold')
    assert.equal(take([lateEntry(at(5)), lateEntry(at(4))])?.state, 'cold')
    assert.equal(take([at(5), 'btoken'])?.state, 'building')
    assert.deepEqual(take([at(5), 'btoken'])?.ids, [])
  })

  test('a complete list without ids is warm', () => {
    assert.deepEqual(take(['f0']), { state: 'warm', ids: [], floor: '0', unsettled: false })
  })

  test('late and repeated ids come in order and once', () => {
    const list = [lateEntry(at(2)), at(9), at(8), at(9), at(1), 'f0']
    assert.deepEqual(take(list)?.ids, [at(9), at(8), at(2), at(1)])
    assert.equal(take(list)?.unsettled, true)
    assert.equal(take(list.slice(1))?.unsettled, false)
  })

  test('ids that differ by 1 are two', () => {
    const list = [at(1, 7), at(1, 6), at(1, 8), 'f0']
    assert.deepEqual(take(list)?.ids, [at(1, 8), at(1, 7), at(1, 6)])
    assert.deepEqual(take(list, at(1, 7))?.ids, [at(1, 6)])
    assert.deepEqual(take([at(1, 7), at(1, 6), `f${at(1, 6)}`])?.ids, [at(1, 7)])
  })

  test('without a marker the floor is the oldest in-time id + W, perhaps in the future', () => {
    const list = [lateEntry(at(-100)), at(100), at(50), at(40), lateEntry(at(71))]
    assert.deepEqual(take(list), {
      state: 'warm',
      ids: [at(100), at(71)],
      floor: shiftId(at(40), WINDOW_MS),
      unsettled: true
    })
    assert.deepEqual(take([at(2), at(1)])?.ids, [])
  })

  test('a floor above every id hides them all', () => {
    assert.deepEqual(take([at(2), at(1), `f${at(60)}`])?.ids, [])
  })

  test('a short read is enough only when its oldest in-time id is over W older than the page', () => {
    const read = (...head: string[]) => ({ head, last: 'f0', whole: false })
    assert.deepEqual(takeFrom(read(at(100), at(90), at(59)), END, 2)?.ids, [at(100), at(90)])
    assert.equal(takeFrom(read(at(100), at(90), at(60)), END, 2), null)
    assert.equal(takeFrom(read(at(100), at(90), lateEntry(at(1))), END, 2), null)
    assert.equal(takeFrom(read(at(100), at(59)), END, 3), null)
    assert.equal(takeFrom(read(lateEntry(at(100)), lateEntry(at(90))), END, 2), null)
  })

  test('a short read obeys the marker that it was read with', () => {
    const read = { head: [at(100), at(90), at(50), at(1)], last: `f${at(60)}`, whole: false }
    assert.deepEqual(takeFrom(read, END, 2)?.ids, [at(100), at(90)])
    assert.equal(takeFrom(read, END, 2)?.floor, at(60))
    assert.equal(takeFrom(read, END, 3), null)
  })

  test('reads grow to any length', () => {
    assert.ok(firstRead(1) > 1 && firstRead(500) > 500)
    assert.ok(longerRead(64) > 64)
  })
})

describe('lowestFloorOf', () => {
  test('cold, building, complete', () => {
    assert.equal(lowestFloorOf([]), null)
    assert.equal(lowestFloorOf([lateEntry(at(1))]), null)
    assert.equal(lowestFloorOf([at(1), 'btoken']), BEGINNING)
    assert.equal(lowestFloorOf([at(1), 'f0']), BEGINNING)
  })

  test('the smaller of the marker and the oldest in-time id + W', () => {
    assert.equal(lowestFloorOf([at(1), `f${at(60)}`]), shiftId(at(1), WINDOW_MS))
    assert.equal(lowestFloorOf([at(50), `f${at(60)}`]), at(60))
    assert.equal(lowestFloorOf([lateEntry(at(1)), `f${at(60)}`]), at(60))
    assert.equal(lowestFloorOf([at(9), at(5), lateEntry(at(1))]), shiftId(at(5), WINDOW_MS))
  })
})

test('the floor falls to the lowest floor once the marker is trimmed away, and no further', () => {
  const busy = settled([at(2), at(1)], 9) ?? []
  assert.deepEqual(busy, [`f${shiftId(at(1), WINDOW_MS)}`])
  const list = [at(-10), ...busy]
  const lowest = lowestFloorOf(list)
  assert.equal(lowest, shiftId(at(-10), WINDOW_MS))
  assert.ok(lowest < idOf(busy[0]!), 'the marker alone would be too high')
  const trimmed = [at(25), at(23), ...list].slice(0, keptLength(4, 3, 0))
  assert.equal(take(trimmed)?.floor, lowest)
})

describe('settled', () => {
  test('puts late ids in place, drops repeats and what is at or below the floor', () => {
    const list = [lateEntry(at(20)), at(30), at(25), at(30), lateEntry(at(3)), `f${at(10)}`]
    assert.deepEqual(settled(list, 9), [at(30), at(25), at(20), `f${at(10)}`])
    assert.deepEqual(settled([lateEntry(at(10)), `f${at(10)}`], 9), [`f${at(10)}`])
  })

  test('over the cap, the first id dropped becomes the floor', () => {
    assert.deepEqual(settled([lateEntry(at(2)), at(4), at(3), at(1), 'f0'], 2), [
      at(4),
      at(3),
      `f${at(2)}`
    ])
  })

  test('writes the floor down that a list without marker has', () => {
    const floor = shiftId(at(0), WINDOW_MS)
    assert.deepEqual(settled([at(100), at(0)], 9), [at(100), `f${floor}`])
  })

  test('leaves alone what is cold, being built, or in order', () => {
    for (const list of [[], [lateEntry(at(1))], [lateEntry(at(1)), 'b1'], [at(2), at(1), 'f0']]) {
      assert.equal(settled(list, 9), null)
    }
  })
})

describe('finished', () => {
  const begun = [lateEntry(at(4)), at(9), at(8), 'bmine']

  test('merges what was pushed meanwhile', () => {
    assert.deepEqual(finished(begun, 'mine', [at(8), at(1)], true, 9), [
      at(9),
      at(8),
      at(4),
      at(1),
      'f0'
    ])
  })

  test('cuts at the cap: the first id dropped is the floor', () => {
    assert.deepEqual(finished(begun, 'mine', [at(8), at(5), at(3)], false, 2), [
      at(9),
      at(8),
      `f${at(5)}`
    ])
    assert.deepEqual(finished(['bmine'], 'mine', [at(3), at(2), at(1)], true, 2), [
      at(3),
      at(2),
      `f${at(1)}`
    ])
  })

  test('an incomplete build is complete above its last id, and claims nothing without one', () => {
    assert.deepEqual(finished(['bmine'], 'mine', [at(3), at(2)], false, 9), [at(3), `f${at(2)}`])
    assert.deepEqual(finished(begun, 'mine', [], false, 9), [])
  })

  test('a list without anything is complete', () => {
    assert.deepEqual(finished(['bmine'], 'mine', [], true, 9), ['f0'])
  })

  test("needs its own token, which is the list's last entry", () => {
    for (const list of [[], ['bother'], [at(1), 'f0'], [at(1)], ['bmine', 'f0']]) {
      assert.equal(finished(list, 'mine', [at(1)], true, 9), null)
    }
  })
})

test('cold: neither marker nor in-time id', () => {
  assert.deepEqual(
    [[], [lateEntry(at(1))], ['f0'], ['b1'], [lateEntry(at(1)), at(1), lateEntry(at(1))]].map(
      isCold
    ),
    [true, true, false, false, false]
  )
})

test('a list grows by the slack before it is cut to the cap', () => {
  assert.deepEqual(
    [9, 10, 13, 14].map(length => keptLength(length, 10, 3)),
    [9, 10, 13, 10]
  )
})
