import assert from 'node:assert/strict'
import test from 'node:test'
import { TokenCache } from './token-cache.ts'

test('the cache is bounded, and the token used least recently makes room', () => {
  const cache = new TokenCache(2)
  const later = Date.now() + 60_000
  cache.set('a', 'ada', later)
  cache.set('b', 'bob', later)
  assert.equal(cache.get('a'), 'ada')
  cache.set('c', 'cleo', later)
  assert.equal(cache.size, 2)
  assert.equal(cache.get('b'), undefined)
  assert.equal(cache.get('a'), 'ada')
  assert.equal(cache.get('c'), 'cleo')
})

test('a token is forgotten when it expires, and after 5 minutes at most', t => {
  t.mock.timers.enable({ apis: ['Date'], now: 1_000_000 })
  const cache = new TokenCache()
  cache.set('short', 'ada', 1_001_000)
  cache.set('long', 'ada', 9_000_000_000)
  t.mock.timers.tick(1000)
  assert.equal(cache.get('short'), undefined)
  assert.equal(cache.get('long'), 'ada')
  t.mock.timers.tick(300_000)
  assert.equal(cache.get('long'), undefined)
  assert.equal(cache.size, 0)
})
