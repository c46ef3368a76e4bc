import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { type BatchCacheOptions, createBatchCache } from './batch-cache.ts'

type Load = PromiseWithResolvers<ReadonlyMap<string, number>> & { keys: readonly string[] }

/** A cache whose loads the test ends by hand. */
function manual(options: Partial<BatchCacheOptions<string, number>> = {}) {
  const loads: Load[] = []
  const cache = createBatchCache<string, number>({
    load(keys) {
      const load = { ...Promise.withResolvers<ReadonlyMap<string, number>>(), keys }
      loads.push(load)
      return load.promise
    },
    max: 100,
    now: () => 0,
    ...options
  })
  return { cache, loads }
}

const of = (entries: Record<string, number>) => new Map(Object.entries(entries))

test('loads what is missing in one batch and keeps it', async () => {
  const { cache, loads } = manual()
  const first = cache.getMany(['a', 'b', 'a'])
  assert.deepEqual(loads[0]!.keys, ['a', 'b'])
  loads[0]!.resolve(of({ a: 1, b: 2 }))
  assert.deepEqual(await first, of({ a: 1, b: 2 }))
  const second = cache.getMany(['b', 'c'])
  assert.deepEqual(loads[1]!.keys, ['c'])
  loads[1]!.resolve(of({ c: 3 }))
  assert.deepEqual(await second, of({ b: 2, c: 3 }))
  assert.deepEqual(await cache.getMany([]), new Map())
  assert.equal(loads.length, 2)
})

test('absence is not kept', async () => {
  const { cache, loads } = manual()
  const first = cache.getMany(['a'])
  loads[0]!.resolve(new Map())
  assert.deepEqual(await first, new Map())
  const second = cache.getMany(['a'])
  loads[1]!.resolve(of({ a: 1 }))
  assert.deepEqual(await second, of({ a: 1 }))
})

test('joins loads in flight', async () => {
  const { cache, loads } = manual()
  const first = cache.getMany(['a', 'b'])
  const second = cache.getMany(['b', 'c'])
  assert.deepEqual(
    loads.map(load => load.keys),
    [['a', 'b'], ['c']]
  )
  loads[1]!.resolve(of({ c: 3 }))
  loads[0]!.resolve(of({ a: 1, b: 2 }))
  assert.deepEqual(await first, of({ a: 1, b: 2 }))
  assert.deepEqual(await second, of({ b: 2, c: 3 }))
})

test('a failed load rejects all who joined and is tried anew', async () => {
  const { cache, loads } = manual()
  const both = [cache.getMany(['a']), cache.getMany(['a', 'b'])]
  loads[0]!.reject(new Error('down'))
  loads[1]!.resolve(of({ b: 2 }))
  for (const one of both) await assert.rejects(one, /down/)
  const again = cache.getMany(['a', 'b'])
  assert.deepEqual(loads[2]!.keys, ['a'])
  loads[2]!.resolve(of({ a: 1 }))
  assert.deepEqual(await again, of({ a: 1, b: 2 }))
})

test('what was loading when it was forgotten is not kept, and a later get loads anew', async () => {
  const { cache, loads } = manual()
  const before = cache.getMany(['a', 'b'])
  cache.forget(['a'])
  const after = cache.getMany(['a'])
  assert.deepEqual(loads[1]!.keys, ['a'], 'it does not join the flight from before')
  loads[1]!.resolve(of({ a: 2 }))
  assert.deepEqual(await after, of({ a: 2 }))
  loads[0]!.resolve(of({ a: 1, b: 1 }))
  assert.deepEqual(await before, of({ a: 1, b: 1 }))
  assert.deepEqual(await cache.getMany(['a', 'b']), of({ a: 2, b: 1 }), 'the stale one is not kept')
})

test('a stale load that lands before the fresh one does not disturb it', async () => {
  const { cache, loads } = manual()
  const before = cache.getMany(['a'])
  cache.forget(['a'])
  const after = cache.getMany(['a'])
  loads[0]!.resolve(of({ a: 1 }))
  await before
  const joined = cache.getMany(['a'])
  assert.equal(loads.length, 2, 'the fresh flight is still joined')
  loads[1]!.resolve(of({ a: 2 }))
  assert.deepEqual([await after, await joined], [of({ a: 2 }), of({ a: 2 })])
  cache.clear()
  assert.deepEqual(cache.stats(), { entries: 0, bytes: 0 })
})

test('entries age from the start of their load', async () => {
  let now = 0
  const { cache, loads } = manual({ ttlMs: 10, now: () => now })
  const first = cache.getMany(['a'])
  now = 9
  loads[0]!.resolve(of({ a: 1 }))
  await first
  await cache.getMany(['a'])
  assert.equal(loads.length, 1)
  now = 10
  const second = cache.getMany(['a'])
  loads[1]!.resolve(of({ a: 2 }))
  assert.deepEqual(await second, of({ a: 2 }))
})

test('while it is not usable, nothing kept is used and nothing that is loaded is kept', async () => {
  let usable = true
  const { cache, loads } = manual({ usable: () => usable })
  const kept = cache.getMany(['a'])
  loads[0]!.resolve(of({ a: 1 }))
  await kept
  const flying = cache.getMany(['b'])
  usable = false
  const both = cache.getMany(['a', 'b', 'a'])
  assert.deepEqual(loads[2]!.keys, ['a', 'b'], 'neither the entry nor the flight')
  loads[2]!.resolve(of({ a: 2, b: 2 }))
  assert.deepEqual(await both, of({ a: 2, b: 2 }))
  loads[1]!.resolve(of({ b: 1 }))
  await flying
  usable = true
  assert.deepEqual(await cache.getMany(['a', 'b']), of({ a: 1, b: 1 }))
})

test('the least recently used goes first', async () => {
  const loaded: string[] = []
  const cache = createBatchCache<string, number>({
    load: async keys => {
      loaded.push(...keys)
      return new Map(keys.map(key => [key, 1]))
    },
    max: 2,
    now: () => 0
  })
  await cache.getMany(['a', 'b'])
  await cache.getMany(['a'])
  await cache.getMany(['c'])
  await cache.getMany(['a'])
  assert.deepEqual(loaded, ['a', 'b', 'c'])
  await cache.getMany(['b'])
  assert.deepEqual(loaded, ['a', 'b', 'c', 'b'])
})

test('bounds hold and values are right, whatever is asked and forgotten', async () => {
  const key = fc.integer({ min: 1, max: 12 })
  const step = fc.record({ get: fc.array(key, { maxLength: 8 }), forget: fc.array(key) })
  await fc.assert(
    fc.asyncProperty(fc.array(step), async steps => {
      let version = 0
      const cache = createBatchCache<number, number>({
        load: async keys => new Map(keys.map(key => [key, key * 1000 + version])),
        max: 6,
        maxBytes: 30,
        size: value => Math.floor(value / 1000),
        now: () => 0
      })
      for (const { get, forget } of steps) {
        version++
        cache.forget(forget)
        const found = await cache.getMany(get)
        assert.deepEqual(new Set(found.keys()), new Set(get))
        for (const gone of forget)
          if (found.has(gone)) assert.equal(found.get(gone)! % 1000, version)
        const { entries, bytes } = cache.stats()
        assert.ok(entries <= 6 && bytes <= 30 && bytes >= 0)
      }
    })
  )
})
