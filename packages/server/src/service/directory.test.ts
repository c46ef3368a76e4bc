import assert from 'node:assert/strict'
import test from 'node:test'
import { openWriteWorld } from '../../../../testkit/write-world.ts'
import { createDirectory } from './directory.ts'

test('users are kept up to a number of bytes, the last ones looked at', async t => {
  const world = await openWriteWorld(t)
  const attributes = { text: 'x'.repeat(1000) }
  for (let n = 0; n < 10; n++) await world.store.putUser(`u${n}`, { attributes })
  const loaded: number[] = []
  world.faults.store.usersByNumbers = numbers => {
    loaded.push(...numbers)
    return world.plain.store.usersByNumbers(numbers)
  }
  const directory = createDirectory(world, 9000)
  const ids = Array.from({ length: 10 }, (_, n) => `u${n}`)
  for (const id of ids) await directory.visible(id)
  assert.equal(loaded.length, 10)
  await directory.visible('u9')
  await directory.visible('u8')
  assert.equal(loaded.length, 10, 'the last ones are there')
  await directory.visible('u0')
  assert.equal(loaded.length, 11, 'the first ones made room')
})
