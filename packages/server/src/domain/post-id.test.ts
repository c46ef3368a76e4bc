import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import {
  BEGINNING,
  boundAt,
  END,
  FIRST_MS,
  isPostId,
  LANES,
  LAST_MS,
  laneOfAuthor,
  makePostId,
  SEQUENCES,
  SHARDS,
  shardOf,
  shardOfAuthor,
  shiftId,
  timeOf
} from './post-id.ts'

const ms = fc.integer({ min: FIRST_MS, max: LAST_MS })
const shard = fc.integer({ min: 0, max: SHARDS - 1 })
const seq = fc.integer({ min: 0, max: SEQUENCES - 1 })
const parts = fc.tuple(ms, shard, seq)

test('an id has 19 digits and gives its time and shard back', () => {
  fc.assert(
    fc.property(parts, ([ms, shard, seq]) => {
      const id = makePostId(ms, shard, seq)
      assert.match(id, /^[1-9][0-9]{18}$/)
      assert.ok(isPostId(id))
      assert.deepEqual([timeOf(id), shardOf(id)], [ms, shard])
      assert.equal(Number(BigInt(id) & 4095n), seq)
    })
  )
})

test('text order is number order is order of time, shard, sequence', () => {
  const near = fc.tuple(fc.integer({ min: FIRST_MS, max: FIRST_MS + 3 }), shard, seq)
  fc.assert(
    fc.property(fc.oneof(parts, near), fc.oneof(parts, near), (a, b) => {
      const [x, y] = [makePostId(...a), makePostId(...b)]
      const byParts = Math.sign(a[0] - b[0]) || Math.sign(a[1] - b[1]) || Math.sign(a[2] - b[2])
      const byNumber = BigInt(x) < BigInt(y) ? -1 : Number(x !== y)
      const byText = x < y ? -1 : Number(x !== y)
      assert.equal(byText, byParts)
      assert.equal(byNumber, byParts)
    })
  )
})

test('the first and the last ms are the ends of 19 digits and of 63 bits', () => {
  assert.ok(isPostId(makePostId(FIRST_MS, 0, 0)))
  assert.equal((BigInt(FIRST_MS - 1) << 21n).toString().length, 18)
  assert.equal(makePostId(LAST_MS, SHARDS - 1, SEQUENCES - 1), '9223372036854775807')
  assert.ok(BEGINNING < makePostId(FIRST_MS, 0, 0) && END > '9223372036854775807')
})

test('parts outside their bits are refused', () => {
  const bad: [number, number, number][] = [
    [FIRST_MS - 1, 0, 0],
    [LAST_MS + 1, 0, 0],
    [FIRST_MS + 0.5, 0, 0],
    [Number.NaN, 0, 0],
    [FIRST_MS, SHARDS, 0],
    [FIRST_MS, -1, 0],
    [FIRST_MS, 0, SEQUENCES],
    [FIRST_MS, 0, -1]
  ]
  for (const part of bad) assert.throws(() => makePostId(...part), RangeError, String(part))
})

test('what is no id is recognised', () => {
  const bad = ['', '0', '1', '9223372036854775808', END, '0999999999999999999', ' 1']
  const worse = ['1000000000000000000\n', '+100000000000000000', '10000000000000000000', '1e18']
  for (const text of [...bad, ...worse]) assert.equal(isPostId(text), false, text)
  fc.assert(fc.property(fc.string({ maxLength: 18 }), text => !isPostId(text)))
})

test('a bound parts what was made before a ms from what was made in it', () => {
  fc.assert(
    fc.property(parts, fc.integer({ min: FIRST_MS, max: LAST_MS }), ([ms, shard, seq], at) => {
      assert.equal(makePostId(ms, shard, seq) < boundAt(at), ms < at)
    })
  )
  assert.equal(boundAt(0), boundAt(FIRST_MS))
})

test('an id shifts in time, and what leaves the range keeps text order', () => {
  fc.assert(
    fc.property(parts, fc.integer({ min: -DAY, max: DAY }), ([ms, shard, seq], by) => {
      const shifted = shiftId(makePostId(ms, shard, seq), by)
      if (ms + by < FIRST_MS) assert.equal(shifted, BEGINNING)
      else if (ms + by > LAST_MS) assert.equal(shifted, END)
      else assert.equal(shifted, makePostId(ms + by, shard, seq))
    })
  )
  assert.equal(shiftId(BEGINNING, 30_000), BEGINNING)
  assert.equal(shiftId(END, 30_000), END)
  assert.equal(shiftId(END, -30_000), END)
})

const DAY = 86_400_000

test('shards and lanes of authors are in range and evenly used', () => {
  const used = new Map<number, number>()
  for (let author = 1; author <= 51_200; author++) {
    const shard = shardOfAuthor(author)
    assert.ok(Number.isInteger(shard) && shard >= 0 && shard < SHARDS)
    assert.equal(laneOfAuthor(author), shard % LANES)
    used.set(shard, (used.get(shard) ?? 0) + 1)
  }
  assert.equal(used.size, SHARDS)
  assert.ok(Math.max(...used.values()) < 150, 'no shard has over 1.5 x its share')
})

test('the shard of a huge number is exact', () => {
  for (const author of [0, 65_535, 65_536, 2 ** 32 + 7, Number.MAX_SAFE_INTEGER]) {
    const exact = Number((((BigInt(author) % 65_536n) * 40_503n) / 128n) % 512n)
    assert.equal(shardOfAuthor(author), exact)
  }
})
