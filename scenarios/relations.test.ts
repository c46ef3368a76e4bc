import assert from 'node:assert/strict'
import type { PostId } from '@fanwise/sdk'
import { walk } from '../testkit/walk.ts'
import { following, postMany, scenario, type World, walkHome } from './world.ts'

const newestFirst = (...lists: PostId[][]) => lists.flat().sort().reverse()

scenario(
  'BL-01, BL-06: a block acts at once in both directions and is undone whole',
  {},
  async world => {
    await following(world, 'v', 'a', 'b')
    await world.as('a').follow('v')
    const [mine, hers, his] = [
      await postMany(world, 'v', 2),
      await postMany(world, 'a', 10),
      await postMany(world, 'b', 10)
    ]
    await world.settle()
    assert.deepEqual(await walkHome(world, 'v'), newestFirst(mine, hers, his))
    await world.as('v').block('a')
    assert.deepEqual(await walkHome(world, 'v'), newestFirst(mine, his))
    assert.deepEqual(await walkHome(world, 'a'), hers)
    const hidden = { code: 'user_not_found' }
    await assert.rejects(world.as('v').userPosts('a'), hidden)
    await assert.rejects(world.as('a').userPosts('v'), hidden)
    await assert.rejects(world.as('a').getUser('v'), hidden)
    await assert.rejects(world.as('a').getPost(mine[0] ?? ''), { code: 'post_not_found' })
    await assert.rejects(world.as('a').follow('v'), { code: /blocked|user_not_found/ })
    await world.settle()
    assert.equal((await world.as('b').getUser('a')).counts.followers, 0)
    assert.equal((await world.as('b').getUser('v')).counts.followers, 0)
    await world.as('v').unblock('a')
    assert.deepEqual(await walkHome(world, 'v'), newestFirst(mine, his))
    await world.as('v').follow('a')
    assert.deepEqual(await walkHome(world, 'v'), newestFirst(mine, hers, his))
  }
)

scenario(
  'BL-03: who was blocked sees nothing, when the blocker is pulled too',
  { settings: { threshold: '3' } },
  async world => {
    for (const fan of ['a', 'b', 'c', 'd']) await following(world, fan, 'v')
    const [first = ''] = await postMany(world, 'v', 1)
    await world.as('v').block('a')
    const [second = ''] = await postMany(world, 'v', 1)
    await world.settle()
    for (const round of ['warm', 'rebuilt']) {
      assert.deepEqual(await walkHome(world, 'a'), [], round)
      assert.deepEqual(await walkHome(world, 'b'), [second, first], round)
      await world.evict()
    }
  }
)

scenario(
  'BL-06: hide and unhide put a post back in its place; mute hides from the feed only',
  {},
  async world => {
    await following(world, 'v', 'a', 'b')
    const ids = newestFirst(await postMany(world, 'a', 5), await postMany(world, 'b', 5))
    await world.settle()
    await world.as('v').hide(ids[4] ?? '')
    assert.deepEqual(await walkHome(world, 'v'), ids.toSpliced(4, 1))
    assert.equal((await world.as('v').getPost(ids[4] ?? '')).id, ids[4])
    await world.as('v').unhide(ids[4] ?? '')
    assert.deepEqual(await walkHome(world, 'v'), ids)
    await world.as('v').mute('b')
    assert.deepEqual(await walkHome(world, 'v'), ids.slice(5))
    assert.deepEqual(await walk(query => world.as('v').userPosts('b', query), 20), ids.slice(0, 5))
    await world.as('v').unmute('b')
    assert.deepEqual(await walkHome(world, 'v'), ids)
  }
)

scenario(
  'FL-02: an unfollow acts at once, and a new follow brings the posts back',
  { cdc: true },
  async world => {
    await following(world, 'v', 'a')
    await walkHome(world, 'v')
    const ids = await postMany(world, 'a', 2)
    await world.as('v').unfollow('a')
    assert.deepEqual(await walkHome(world, 'v'), [])
    await world.settle()
    assert.deepEqual(await walkHome(world, 'v'), [])
    assert.equal((await world.as('v').getPost(ids[0] ?? '')).id, ids[0])
    await world.as('v').follow('a')
    assert.deepEqual(await walkHome(world, 'v'), ids)
    await world.settle()
    assert.deepEqual(await walkHome(world, 'v'), ids)
  }
)

scenario(
  'FL-06, FL-07: a follow backfills in place, whatever state the feed is in',
  { settings: { cap: '10' } },
  async world => {
    await following(world, 'v', 'a', 'b', 'c')
    const old = await importYearOld(world, 'd', 20)
    const posts: PostId[] = []
    for (const author of ['a', 'b', 'c']) posts.push(...(await postMany(world, author, 10)))
    await world.settle()
    const before = await world.as('v').feed({ limit: 10 })
    await world.as('v').follow('d')
    const after = await world.as('v').feed({ limit: 10 })
    assert.deepEqual(
      after.items.map(({ id }) => id),
      before.items.map(({ id }) => id)
    )
    const all = newestFirst(posts, old)
    assert.deepEqual(await walkHome(world, 'v', 5), all)
    await world.evict('v')
    await world.as('v').unfollow('d')
    await world.as('v').follow('d')
    const [fresh = ''] = await postMany(world, 'a', 1)
    await world.settle()
    assert.deepEqual(await walkHome(world, 'v', 5), [fresh, ...all])
  }
)

async function importYearOld(world: World, author: string, count: number): Promise<PostId[]> {
  const start = Date.now() - 365 * 86_400_000
  const { postIds } = await world.admin.batch({
    posts: Array.from({ length: count }, (_, index) => ({
      author,
      content: `${index}`,
      createdAt: new Date(start + index * 1000).toISOString()
    }))
  })
  return [...postIds]
}

scenario(
  'FO-01: crossing the threshold up and down leaves no hole',
  { cdc: true, settings: { threshold: '3' }, limits: { graceMs: 50 } },
  async world => {
    await following(world, 'v1', 'a')
    await following(world, 'v2', 'a')
    const ids: PostId[] = []
    const check = async (when: string) => {
      await world.settle()
      for (const limit of [1, 2, 10])
        assert.deepEqual(await walkHome(world, 'v1', limit), ids, when)
    }
    const post = async () => ids.unshift(...(await postMany(world, 'a', 2)))
    await post()
    await check('pushed')
    await world.as('v3').follow('a')
    await world.as('v4').follow('a')
    await check('crossing up')
    await post()
    await check('pulled')
    await world.as('v3').unfollow('a')
    await world.as('v4').unfollow('a')
    await check('crossing down')
    await post()
    await check('pushed again')
    await world.evict('v1')
    await check('evicted')
    await world.restart({ settings: { threshold: '3', delivery: 'push' } })
    await post()
    await check('push only')
    await world.restart({ settings: { threshold: '3', delivery: 'pull' } })
    await post()
    await check('pull only')
    await world.restart()
    await post()
    await check('hybrid again')
  }
)

scenario(
  'FL-08: the limit of follows holds under concurrency',
  { settings: { followsMax: '20' } },
  async world => {
    const names = Array.from({ length: 25 }, (_, index) => `n${index}`)
    await following(world, 'v', ...names.slice(0, 10))
    await world.admin.batch({ users: names.map(id => ({ id })) })
    const results = await Promise.allSettled(names.map(name => world.as('v').follow(name)))
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 20)
    await world.settle()
    assert.equal((await world.as('v').getUser('v')).counts.following, 20)
  }
)
