import assert from 'node:assert/strict'
import test from 'node:test'
import { NOTHING_VERIFIED, type VerifyQuery, type VerifyReport } from '@fanwise/sdk'
import { describe, isClean, verifyReaders } from './verify.ts'

const CLEAN: VerifyReport = { ...NOTHING_VERIFIED, readers: 1 }
const onProgress = () => {}

test('readers are begun no faster than the rate, each as was asked', async () => {
  const asked: [string, VerifyQuery | undefined][] = []
  const admin = {
    async verify(reader: string, query?: VerifyQuery) {
      asked.push([reader, query])
      return CLEAN
    }
  }
  const began = performance.now()
  const options = { rate: 50, only: 'warm', repair: true, onProgress } as const
  const report = await verifyReaders(admin, ['a', 'b', 'c', 'd', 'e', 'f'], options)
  assert.ok(performance.now() - began >= 98, 'the sixth begins 100 ms after the first')
  assert.equal(report.readers, 6)
  assert.deepEqual(asked[0], ['a', { only: 'warm', repair: true }])
})

test('clean is what is right, or was repaired, with all events worked off', () => {
  const counts = { checked: 3, wrong: 1, repaired: 0, examples: [] }
  assert.ok(isClean(CLEAN))
  assert.ok(isClean({ ...CLEAN, differences: 4, repaired: 1 }))
  assert.ok(isClean({ ...CLEAN, counts: { ...counts, repaired: 1 } }))
  assert.ok(!isClean({ ...CLEAN, differences: 4, stillWrong: 1 }))
  assert.ok(!isClean({ ...CLEAN, counts }))
  assert.ok(!isClean({ ...CLEAN, pending: 1 }))
})

test('repaired and still wrong are told apart, counts with what the rows say', () => {
  const example = { reader: 'ann', of: 'likes', post: '1', shown: 7, counted: 2 } as const
  const counts = { checked: 23, wrong: 3, repaired: 1, examples: [example] }
  const lines = describe({ ...CLEAN, repaired: 2, stillWrong: 1, counts })
  assert.ok(lines.includes('23 counts, 3 wrong'))
  assert.ok(lines.includes('  ann: likes of 1 7, rows say 2'))
  assert.ok(lines.includes('repaired: 2 feeds, 1 counts'))
  assert.ok(lines.includes('still wrong: 1 feeds, 2 counts'))
})
