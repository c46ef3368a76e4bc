import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildEntry, floorEntry, idOf, isBuild, isFloor, isLate, lateEntry } from './entry.ts'

const ID = '3700000000000000001'

test('each form of an entry is told from the others', () => {
  const forms = [ID, lateEntry(ID), floorEntry(ID), buildEntry('7f')]
  assert.deepEqual(forms, [ID, `-${ID}`, `f${ID}`, 'b7f'])
  assert.deepEqual(forms.map(isLate), [false, true, false, false])
  assert.deepEqual(forms.map(isFloor), [false, false, true, false])
  assert.deepEqual(forms.map(isBuild), [false, false, false, true])
})

test('the id of an entry comes back', () => {
  assert.deepEqual([ID, lateEntry(ID), floorEntry(ID), floorEntry('0')].map(idOf), [
    ID,
    ID,
    ID,
    '0'
  ])
})
