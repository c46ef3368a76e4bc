import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { BEGINNING, END, FIRST_MS, LAST_MS, makePostId } from './post-id.ts'
import { hidesAuthor, isMerged, NEVER_PULLED, NO_RULES, PULLED_NOW } from './rules.ts'

const ids = fc.integer({ min: FIRST_MS, max: LAST_MS }).map(ms => makePostId(ms, 0, 0))

test('an author pulled now is merged above any floor, one never pulled above none', () => {
  fc.assert(
    fc.property(ids, floor => {
      assert.ok(isMerged(PULLED_NOW, floor))
      assert.equal(isMerged(NEVER_PULLED, floor), false)
    })
  )
  assert.ok(isMerged(PULLED_NOW, BEGINNING))
  assert.equal(isMerged(NEVER_PULLED, BEGINNING), false)
  assert.equal(PULLED_NOW, END)
})

test('an author pulled until an id is merged exactly below floors under it', () => {
  fc.assert(fc.property(ids, ids, (until, floor) => isMerged(until, floor) === until > floor))
})

test('blocks, mutes and cuts hide an author, but never the reader', () => {
  for (const kind of ['blocks', 'mutes', 'cuts'] as const) {
    const rules = { ...NO_RULES, [kind]: new Set([2, 1]) }
    assert.ok(hidesAuthor(rules, 1, 2))
    assert.equal(hidesAuthor(rules, 1, 1), false)
    assert.equal(hidesAuthor(rules, 1, 3), false)
  }
  assert.equal(hidesAuthor({ ...NO_RULES, hides: new Set(['2']) }, 1, 2), false)
  assert.equal(hidesAuthor({ ...NO_RULES, pulled: new Map([[2, END]]) }, 1, 2), false)
})
