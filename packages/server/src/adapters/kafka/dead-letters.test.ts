import assert from 'node:assert/strict'
import test from 'node:test'
import { readUpTo } from './dead-letters.ts'

/** A partition of ten positions, with records at some of them, read three positions at a time. */
async function read(max: number, holds: (position: bigint) => boolean): Promise<bigint[]> {
  let reads = 0
  return readUpTo({ from: 0n, end: 10n, max }, async position => {
    assert.ok(++reads <= 10, 'it reads without end')
    const near = [0n, 1n, 2n].map(ahead => position + ahead).filter(holds)
    return { entries: near, end: (near.at(-1) ?? position - 1n) + 1n }
  })
}

test('dead records are read up to the end, and no more than are wanted', async () => {
  const all = (position: bigint) => position < 10n
  assert.equal((await read(100, all)).length, 10)
  assert.deepEqual(await read(4, all), [0n, 1n, 2n, 3n])
})

test('a partition whose end holds no record is not read for ever', async () => {
  assert.deepEqual(await read(100, position => position < 5n), [0n, 1n, 2n, 3n, 4n])
  assert.deepEqual(await read(100, () => false), [])
})
