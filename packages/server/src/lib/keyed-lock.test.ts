import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { createKeyedLock } from './keyed-lock.ts'

const turn = () => new Promise<void>(resolve => setImmediate(resolve))

test('a key is held by one, and goes to the next in order', async () => {
  const lock = createKeyedLock()
  const order: string[] = []
  const free = await lock.acquire(['a'])
  const take = async (name: string) => {
    const release = await lock.acquire(['a'])
    order.push(name)
    release()
  }
  const waiting = [take('first'), take('second')]
  await turn()
  assert.deepEqual(order, [])
  free()
  await Promise.all(waiting)
  assert.deepEqual(order, ['first', 'second'])
  assert.equal(lock.size, 0)
})

test('other keys are free, and no keys need no waiting', async () => {
  const lock = createKeyedLock()
  const freeA = await lock.acquire(['a', 'a'])
  const freeB = await lock.acquire(['b'])
  const freeNone = await lock.acquire([])
  freeNone()
  freeB()
  freeA()
  assert.equal(lock.size, 0)
})

test('callers with several keys in any order never block each other for good', async () => {
  const keys = fc.array(fc.constantFrom('a', 'b', 'c', 'd'))
  await fc.assert(
    fc.asyncProperty(fc.array(keys, { maxLength: 12 }), async wishes => {
      const lock = createKeyedLock()
      const held = new Set<string>()
      const work = async (wish: string[]) => {
        const free = await lock.acquire(wish)
        for (const key of new Set(wish)) {
          assert.ok(!held.has(key), 'nobody else holds it')
          held.add(key)
        }
        await Promise.resolve()
        for (const key of wish) held.delete(key)
        free()
      }
      await Promise.all(wishes.map(work))
      assert.equal(lock.size, 0)
    })
  )
})
