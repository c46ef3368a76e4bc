// One of two processes reaches PostgreSQL late, not at all, or never hears its answers.
import assert from 'node:assert/strict'
import test, { after, before, type TestContext } from 'node:test'
import { withClient } from '../../packages/server/src/adapters/postgres/bundled/with-client.ts'
import { type Services, startServices } from '../../scripts/services/start-services.ts'
import { quiet, setStage } from '../../testkit/faults.ts'
import type { Fleet } from '../../testkit/fleet.ts'
import { until } from '../../testkit/kafka.ts'
import { assertExact } from '../../testkit/outcome.ts'
import { createProxy, type TcpProxy } from '../../testkit/tcp-proxy.ts'

const LATE_MS = 150

let services: Services<'postgres' | 'redis'>

before(async () => {
  services = await startServices(['postgres', 'redis'], { useEnvironment: false })
})
after(() => services.stop())

/** `all1` reaches PostgreSQL through the proxy, `all2` as ever. */
function stage(t: TestContext, proxy: TcpProxy) {
  return setStage(t, {
    ...{ postgresUrl: services.postgres.url, redisUrl: services.redis.url },
    databasePorts: { all1: proxy.port },
    traffic: { ...quiet, users: 20 }
  })
}

function openProxy(): Promise<TcpProxy> {
  return createProxy(services.postgres.servers[0]?.port as number)
}

async function countPosts({ databaseUrl }: Fleet): Promise<number> {
  const sql = 'select count(*)::int as n from posts'
  const { rows } = await withClient(databaseUrl, client => client.query<{ n: number }>(sql))
  return rows[0]?.n as number
}

test('CC-08: no write is answered before its commit, and then another process shows it', async t => {
  await using proxy = await openProxy()
  const { fleet, traffic } = await stage(t, proxy)
  const api = fleet.member('all1').as('u1')
  const other = fleet.member('all2').as('u1')
  const [theirs] = (await fleet.admin.as('u2').userPosts('u2')).items
  const own = await api.createPost({ content: 'written early' })
  const post = theirs?.id as string
  await api.unfollow('u3')
  const has = async (list: Promise<{ items: readonly { id: string }[] }>, id: string) =>
    (await list).items.some(item => item.id === id)
  const writes: [string, () => Promise<unknown>, () => Promise<boolean>][] = [
    [
      'edit',
      () => api.editPost(own.id, { content: 'changed' }),
      async () => (await other.getPost(own.id)).content === 'changed'
    ],
    ['like', () => api.like(post), async () => (await other.getPost(post)).viewer.liked],
    ['follow', () => api.follow('u3'), () => has(other.following('u1', { limit: 100 }), 'u3')],
    ['mute', () => api.mute('u4'), () => has(other.mutes(), 'u4')],
    ['block', () => api.block('u5'), () => has(other.blocks(), 'u5')],
    ['hide', () => api.hide(post), async () => !(await has(other.feed({ limit: 100 }), post))],
    [
      'profile',
      () => api.putUser('u1', { name: 'Una' }),
      async () => (await other.getUser('u1')).name === 'Una'
    ],
    [
      'delete',
      () => api.deletePost(own.id),
      () =>
        other.getPost(own.id).then(
          () => false,
          error => error.status === 404
        )
    ]
  ]
  proxy.delay(LATE_MS)
  for (const [name, write, isThere] of writes) {
    const began = performance.now()
    await write()
    const ms = performance.now() - began
    assert.ok(ms >= LATE_MS, `${name} was answered after ${ms} ms`)
    await until(`${name} shows`, isThere, 1000)
  }
  const { id } = await api.createPost({ content: 'written late' })
  assert.equal((await other.getPost(id)).content, 'written late')
  proxy.heal()
  const posts = await countPosts(fleet)
  proxy.cut()
  await assert.rejects(api.createPost({ content: 'cut off' }), { status: 503 })
  proxy.heal()
  assert.equal(await countPosts(fleet), posts)
  // The lanes change hands, and the lists that were at work go.
  await assertExact(t, fleet, traffic, { coldAllowed: true })
})

test('CT-04: likes whose answer was lost count once, however often they are sent again', async t => {
  await using proxy = await openProxy()
  const { fleet, traffic } = await stage(t, proxy)
  const { users } = traffic
  const { id } = await fleet.admin.as('u0').createPost({ content: 'liked by all' })
  const member = fleet.member('all1')
  const likeAll = () => Promise.allSettled(users.map(user => member.as(user).like(id)))
  let lost = 0
  for (let round = 0; round < 5; round++) {
    proxy.swallowReplies()
    lost += (await likeAll()).filter(({ status }) => status === 'rejected').length
    proxy.heal()
  }
  assert.ok(lost >= users.length, `${lost} answers were lost`)
  for (const user of users)
    await until(`${user} likes it`, () => answered(member.as(user).like(id)), 10_000)
  // Lanes went to and fro with the sessions, and whoever takes one over drops what was in work.
  await assertExact(t, fleet, traffic, { coldAllowed: true })
  assert.equal((await fleet.admin.as('u0').getPost(id)).counts.likes, users.length)
})

function answered(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false
  )
}
