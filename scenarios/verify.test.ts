import assert from 'node:assert/strict'
import test from 'node:test'
import { withClient } from '../packages/server/src/adapters/postgres/bundled/with-client.ts'
import { END } from '../packages/server/src/domain/post-id.ts'
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

scenario(
  'verify with repair makes a damaged feed anew, and a light one leaves feeds warm',
  {},
  async world => {
    await following(world, 'v', 'a')
    const ids = await postMany(world, 'a', 20)
    await world.settle()
    await world.admin.rebuild('v')
    const light = await world.admin.verify('v', { only: 'warm' })
    assert.deepEqual([light.cold, light.differences, light.pending], [0, 0, 0])
    await world.damage('v', ids[7] ?? '')
    const found = await world.admin.verify('v', { only: 'warm' })
    assert.deepEqual([found.missing, found.repaired, found.stillWrong], [1, 0, 1])
    const mended = await world.admin.verify('v', { only: 'warm', repair: true })
    assert.deepEqual([mended.missing, mended.repaired, mended.stillWrong], [1, 1, 0])
    const after = await world.admin.verify('v')
    assert.deepEqual([after.cold, after.differences], [0, 0])
    await world.damage('v', ids[3] ?? '')
    const whole = await world.admin.verify('v', { repair: true })
    assert.deepEqual([whole.missing, whole.repaired, whole.stillWrong], [1, 1, 0])
  }
)

scenario(
  'CT-03: verify tells counts that rows do not bear out, and repairs them',
  // A janitor would recount them first.
  { modes: ['embedded', 'http'], settings: { roles: 'api,relay,fanout' } },
  async world => {
    await following(world, 'v', 'a')
    const [post = ''] = await postMany(world, 'a', 3)
    await world.as('v').like(post)
    await world.settle()
    const right = await world.admin.verify('v')
    assert.deepEqual([right.counts.checked, right.counts.wrong], [6, 0])
    await withClient(world.databaseUrl, client =>
      client.query(
        `update post_counts set likes = likes + 7;
         update users set following_count = 9 where id = 'v'`
      )
    )
    const { counts } = await world.admin.verify('v', { only: 'warm' })
    assert.deepEqual([counts.wrong, counts.repaired], [2, 0])
    const likes = counts.examples.find(({ of }) => of === 'likes')
    assert.deepEqual(likes, { reader: 'v', of: 'likes', post, shown: 8, counted: 1 })
    const mended = await world.admin.verify('v', { repair: true })
    assert.deepEqual([mended.counts.wrong, mended.counts.repaired], [2, 2])
    assert.equal((await world.admin.verify('v')).counts.wrong, 0)
    assert.equal((await world.as('a').getUser('v')).counts.following, 1)
  }
)

test('the janitor finds a damaged feed by itself, and its reader gets a right one', async t => {
  const server = await startServer(t)
  const { admin } = server
  await admin.batch({ follows: [{ follower: 'v', followee: 'a' }] })
  const { id } = await admin.as('a').createPost({ content: 'lost' })
  await admin.settle()
  await admin.rebuild('v')
  const { feeds, store } = server.app.ports
  const [v] = await store.usersByIds(['v'])
  await store.touchReaders([v?.number ?? 0])
  assert.deepEqual(await admin.sampleReaders(), ['v'])
  await server.app.feed.sample()
  assert.equal((await feeds.take(`feed:${v?.number ?? 0}`, END, 1)).state, 'warm')
  await feeds.remove(`feed:${v?.number ?? 0}`, [id])
  await server.app.feed.sample()
  assert.equal((await feeds.take(`feed:${v?.number ?? 0}`, END, 1)).state, 'cold')
  const metrics = await (await fetch(`${server.url}/metrics`)).text()
  assert.match(metrics, /^fanwise_drift_found_total 1$/m)
  assert.match(metrics, /^fanwise_drift_checked_total [1-9]/m)
  assert.equal((await admin.as('v').feed()).items[0]?.id, id)
})

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
