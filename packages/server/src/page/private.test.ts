// What the pager shows of private accounts, on both Stores.
import assert from 'node:assert/strict'
import test from 'node:test'
import { openWorld, type PageWorld, WORLDS } from '../../../../testkit/page-world.ts'
import { END } from '../domain/post-id.ts'

const NOBODY = 0

async function turn(world: PageWorld, id: string, visibility: 'public' | 'private') {
  const { value } = await world.store.putUser(id, { visibility })
  await world.feeds.announce({ users: [value.number] })
}

for (const kind of WORLDS) {
  test(`a private author shows to followers and to themselves (${kind})`, async t => {
    const world = await openWorld(t, kind)
    const [v, w, a] = (await world.users('v', 'w', 'a')) as [number, number, number]
    await world.follow(v, a)
    const id = await world.post(a)
    const timeline = (viewer: number) => world.pager.timeline(viewer, a, { below: END, limit: 5 })
    for (const viewer of [v, w, a, NOBODY]) {
      await world.pager.post(viewer, id)
      assert.deepEqual((await timeline(viewer)).ids, [id])
    }
    await turn(world, 'a', 'private')
    for (const viewer of [v, a]) {
      await world.pager.post(viewer, id)
      assert.deepEqual((await timeline(viewer)).ids, [id])
      assert.deepEqual(await world.walk(viewer, 2), [id])
    }
    for (const viewer of [w, NOBODY]) {
      await assert.rejects(world.pager.post(viewer, id), { code: 'post_not_found' })
      await assert.rejects(timeline(viewer), { code: 'private_account' })
    }
    await world.rule('unfollow', v, a)
    await assert.rejects(world.pager.post(v, id), { code: 'post_not_found' })
    await assert.rejects(timeline(v), { code: 'private_account' })
    assert.deepEqual(await world.walk(v, 2), await world.oracle(v))
    await turn(world, 'a', 'public')
    await world.pager.post(w, id)
  })

  test(`a request shows nothing, cold, warm or merged (${kind})`, async t => {
    const world = await openWorld(t, kind)
    const [v, a, b] = (await world.users('v', 'a', 'b')) as [number, number, number]
    for (const id of ['a', 'b']) await turn(world, id, 'private')
    await world.deliverBy(b, 'pull')
    for (const author of [a, b]) {
      await world.follow(v, author)
      await world.post(author)
    }
    assert.deepEqual(await world.walk(v, 2), [])
    await world.build(`feed:${v}`)
    assert.deepEqual(await world.walk(v, 2), [])
    for (const author of [a, b]) {
      await world.store.acceptRequest(author, v)
      await world.follow(v, author)
    }
    assert.equal((await world.walk(v, 2)).length, 2)
    assert.deepEqual(await world.walk(v, 2), await world.oracle(v))
    await world.store.removeFollower(b, v)
    await world.feeds.dropRules([v])
    assert.equal((await world.walk(v, 2)).length, 1)
    assert.deepEqual(await world.walk(v, 2), await world.oracle(v))
  })
}
