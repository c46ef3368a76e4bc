// Counts equal the rows behind them, whatever is repeated, undone, blocked or deleted at the same time.
import assert from 'node:assert/strict'
import type { Page, Post, PostId } from '@fanwise/sdk'
import { withClient } from '../packages/server/src/adapters/postgres/bundled/with-client.ts'
import { Random } from '../packages/server/src/cli/generate/random.ts'
import { until } from '../testkit/kafka.ts'
import { following, postMany, scenario, type World } from './world.ts'

const SHOWN_MS = 5000

function times(count: number, run: (n: number) => Promise<unknown>): Promise<unknown[]> {
  return Promise.all(Array.from({ length: count }, (_, n) => run(n)))
}

async function rows({ databaseUrl }: World, table: string, where: string): Promise<number> {
  const sql = `select count(*)::int as n from ${table} where ${where}`
  const found = await withClient(databaseUrl, client => client.query<{ n: number }>(sql))
  return found.rows[0]?.n ?? -1
}

/** The likes of a post in each read, once they are what the rows say: counts are kept for a second. */
async function expectLikes(world: World, post: PostId, author: string, reader: string) {
  await world.settle()
  const likes = await rows(world, 'likes', `post = ${post}`)
  const there = ({ items }: Page<Post>) => items.find(({ id }) => id === post)
  const reads = () =>
    Promise.all([
      world.as(reader).getPost(post),
      world.as(reader).feed({ limit: 100 }).then(there),
      world.as(author).feed({ limit: 100 }).then(there),
      world.as(reader).userPosts(author, { limit: 100 }).then(there)
    ])
  await until(
    `${likes} likes show`,
    async () => (await reads()).every(shown => shown?.counts.likes === likes),
    SHOWN_MS
  )
  return likes
}

async function counts(world: World, user: string) {
  await world.settle()
  return (await world.as('counter').getUser(user)).counts
}

scenario('CT-01: likes count once, whatever is repeated or undone in parallel', {}, async world => {
  await following(world, 'v', 'a')
  const [post = ''] = await postMany(world, 'a', 1)
  const likedBy = () => rows(world, 'likes', `post = ${post}`)
  await world.as('v').like(post)
  await times(50, () => world.as('v').unlike(post))
  assert.equal(await likedBy(), 0)
  await times(50, () => world.as('v').like(post))
  assert.equal(await likedBy(), 1)
  const random = new Random(1)
  const users = Array.from({ length: 10 }, (_, n) => `u${n}`)
  await times(200, () => {
    const user = world.as(users[random.index(10)] ?? 'u0')
    return random.index(2) === 0 ? user.like(post) : user.unlike(post)
  })
  const likes = await expectLikes(world, post, 'a', 'v')
  const liked = await Promise.all(users.map(user => world.as(user).getPost(post)))
  assert.equal(liked.filter(({ viewer }) => viewer.liked).length, likes - 1)
})

scenario('CT-02: follower counts equal edges after parallel changes', {}, async world => {
  await following(world, 'v')
  await following(world, 'a')
  await times(50, () => world.as('v').follow('a'))
  assert.deepEqual(await counts(world, 'a'), { followers: 1, following: 0, posts: 0 })
  await times(50, () => world.as('v').unfollow('a'))
  assert.deepEqual(await counts(world, 'a'), { followers: 0, following: 0, posts: 0 })
  await assert.rejects(world.as('v').follow('v'), { code: 'self_relation' })
  await world.as('v').unfollow('v')
  await times(60, n => {
    const refused = (error: { code?: string }) => assert.match(error.code ?? '', /blocked|_gone/)
    if (n % 6 === 5) return world.as('a').block('v')
    if (n % 6 === 4) return world.as('a').unblock('v')
    return (n % 2 === 0 ? world.as('v').follow('a') : world.as('v').unfollow('a')).catch(refused)
  })
  const { followers } = await counts(world, 'a')
  assert.equal(followers, await rows(world, 'followers', 'true'))
  assert.equal((await counts(world, 'v')).following, followers)
  await world.as('a').unblock('v')
  await Promise.all([
    times(10, () =>
      world
        .as('v')
        .follow('a')
        .catch(() => undefined)
    ),
    world.as('a').deleteMe(),
    times(10, () =>
      world
        .as('v')
        .unfollow('a')
        .catch(() => undefined)
    )
  ])
  await world.as('v').unfollow('a')
  assert.equal((await counts(world, 'v')).following, await rows(world, 'follows', 'true'))
})

scenario('CT-03: likes of who is suspended stay as they are', {}, async world => {
  await following(world, 'v', 'a')
  const posts = Array.from({ length: 100 }, (_, n) => ({ author: 'a', content: `${n}` }))
  const { postIds } = await world.admin.batch({ posts })
  const likes = postIds.flatMap(post => ['v', 'fan'].map(user => ({ user, post })))
  await world.admin.batch({ users: [{ id: 'fan' }], likes })
  await world.admin.suspend('fan')
  assert.equal(await expectLikes(world, postIds[0] ?? '', 'a', 'v'), 2)
  await world.admin.unsuspend('fan')
  for (const post of [postIds[0], postIds[99]])
    assert.equal(await expectLikes(world, post ?? '', 'a', 'v'), 2)
})

scenario('CT-04: events that come again move no count', {}, async (world, t) => {
  await following(world, 'v', 'a', 'b')
  const [post = ''] = await postMany(world, 'a', 3)
  await times(10, n => world.as(`u${n}`).like(post))
  await world.as('v').unfollow('b')
  const before = [await counts(world, 'a'), await counts(world, 'b'), await counts(world, 'v')]
  const again = await replayAll(world)
  t.diagnostic(`${again} events again`)
  assert.ok(again > 5)
  assert.deepEqual(
    [await counts(world, 'a'), await counts(world, 'b'), await counts(world, 'v')],
    before
  )
  assert.equal(await expectLikes(world, post, 'a', 'v'), 10)
  assert.equal((await world.admin.verify('v')).differences, 0)
})

/** Has every event published once more, as if the log had been read from its start. */
async function replayAll({ databaseUrl }: World): Promise<number> {
  const sql = 'update outbox set published_at = null where published_at is not null'
  return (await withClient(databaseUrl, client => client.query(sql))).rowCount ?? 0
}

scenario(
  'CT-06: requests that are accepted, withdrawn and repeated count once',
  {},
  async world => {
    await world.admin.batch({ users: [{ id: 'shy', visibility: 'private' }] })
    const fans = Array.from({ length: 6 }, (_, n) => `f${n}`)
    await times(18, n => world.as(fans[n % 6] ?? '').follow('shy'))
    assert.equal((await counts(world, 'shy')).followers, 0)
    await times(24, n => {
      const fan = fans[n % 6] ?? ''
      if (n % 6 === 5) return world.as(fan).unfollow('shy')
      return world
        .as('shy')
        .acceptRequest(fan)
        .catch(() => undefined)
    })
    const { followers } = await counts(world, 'shy')
    assert.equal(followers, await rows(world, 'followers', 'true'))
    assert.ok(followers >= 5)
    await times(12, n => world.as('shy').removeFollower('shy', fans[n % 3] ?? ''))
    assert.equal((await counts(world, 'shy')).followers, await rows(world, 'followers', 'true'))
  }
)

scenario('CT-07: posts count once, repeated, deleted and imported again', {}, async world => {
  await following(world, 'v', 'a')
  const ids = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      world.as('a').createPost({ content: 'once' }, { idempotencyKey: `k${n % 5}` })
    )
  )
  const distinct = [...new Set(ids.map(({ id }) => id))]
  assert.equal(distinct.length, 5)
  await times(10, n => world.as('a').deletePost(distinct[n % 2] ?? ''))
  const posts = [{ author: 'a', content: 'imported', externalId: 'x1' }]
  await times(5, () => world.admin.batch({ posts }))
  assert.equal((await counts(world, 'a')).posts, 4)
  assert.equal(await rows(world, 'posts', 'deleted_at is null'), 4)
})
