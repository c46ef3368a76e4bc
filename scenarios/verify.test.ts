import assert from 'node:assert/strict'
import test from 'node:test'
import { createWorld, following, postMany, scenario, walkHome } from './world.ts'

scenario(
  'verify counts walks across the seam, and finds nothing wrong',
  { settings: { cap: '10' } },
  async world => {
    await following(world, 'v', 'a')
    await postMany(world, 'a', 30)
    await world.settle()
    const report = await world.admin.verify('v')
    assert.deepEqual(report.examples, [])
    assert.equal(report.differences, 0)
    assert.equal(report.readers, 1)
    assert.ok(report.pages.warm > 0 && report.pages.store > 0 && report.pages.seam >= 2)
    await assert.rejects(world.admin.verify('nobody'), { code: 'user_not_found' })
  }
)

scenario(
  'verify finds an entry that was taken out by hand, and a rebuild mends it',
  {},
  async world => {
    await following(world, 'v', 'a')
    const ids = await postMany(world, 'a', 20)
    await walkHome(world, 'v')
    await world.settle()
    await world.damage('v', ids[7] ?? '')
    const { differences, missing, examples } = await world.admin.verify('v')
    assert.deepEqual([differences, missing], [1, 1])
    assert.deepEqual(examples, [{ reader: 'v', walk: 'warm', kind: 'missing', post: ids[7] }])
    assert.deepEqual(await world.admin.rebuild('v'), { ids: 20 })
    assert.equal((await world.admin.verify('v')).differences, 0)
  }
)

test('verify finds that nothing is fanned out', async t => {
  const world = await createWorld(t, 'embedded', {
    settings: { roles: 'api,janitor' },
    limits: { settleMs: 200 }
  })
  await following(world, 'v', 'a')
  await walkHome(world, 'v')
  await world.admin.rebuild('v')
  const ids = await postMany(world, 'a', 3)
  const { missing, examples } = await world.admin.verify('v')
  assert.equal(missing, 3)
  assert.deepEqual(new Set(examples.map(({ post }) => post)), new Set(ids))
})
