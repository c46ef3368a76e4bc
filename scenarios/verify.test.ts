import assert from 'node:assert/strict'
import test from 'node:test'
import { startServer } from '../testkit/server.ts'
import { createWorld, following, postMany, scenario, walkHome } from './world.ts'

scenario(
  'verify counts walks across the seam, and finds nothing wrong',
  { settings: { cap: '10' } },
  async world => {
    await following(world, 'v', 'a')
    await postMany(world, 'a', 30)
    await world.settle()
    await world.admin.rebuild('v')
    const report = await world.admin.verify('v')
    assert.deepEqual(report.examples, [])
    assert.deepEqual([report.readers, report.cold], [1, 0])
    assert.deepEqual([report.differences, report.pending], [0, 0])
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
  const { missing, examples, pending } = await world.admin.verify('v')
  assert.deepEqual([missing, pending > 0], [3, true])
  assert.deepEqual(new Set(examples.map(({ post }) => post)), new Set(ids))
})

test('verify of cold feeds tells that events wait for a fan-out that is not there', async t => {
  const world = await createWorld(t, 'embedded', {
    settings: { roles: 'api,janitor' },
    limits: { settleMs: 100 }
  })
  await following(world, 'v', 'a')
  await postMany(world, 'a', 5)
  const { cold, pending, differences } = await world.admin.verify('v')
  assert.deepEqual([cold, differences], [1, 0])
  assert.ok(pending >= 5, `${pending} are pending`)
})

test('verify does not mend what it judges', async t => {
  const server = await startServer(t, { limits: { settleMs: 100 } })
  await server.admin.batch({ users: [{ id: 'a' }] })
  const { id } = await server.client('a').createPost({ content: 'lost until the list is settled' })
  await server.admin.settle()
  await server.admin.rebuild('a')
  const { feeds } = server.app.ports
  const take = feeds.take.bind(feeds)
  let settled = 0
  Object.assign(feeds, {
    async take(...asked: Parameters<typeof take>): ReturnType<typeof take> {
      const taken = await take(...asked)
      if (settled > 0) return taken
      return { ...taken, ids: taken.ids.filter(one => one !== id), unsettled: true }
    },
    settle: async () => void settled++
  })
  const { examples } = await server.admin.verify('a')
  assert.deepEqual(
    [examples[0]?.walk, examples[0]?.kind, examples[0]?.post],
    ['warm', 'missing', id]
  )
  assert.equal(settled, 0)
})
