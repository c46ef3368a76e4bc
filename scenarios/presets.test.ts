// What each preset promises, looked for in a server that runs with it.
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import type { PostId } from '@fanwise/sdk'
import { withClient } from '../packages/server/src/adapters/postgres/bundled/with-client.ts'
import {
  DAY_MS,
  HOUR_MS,
  type Limits,
  MINUTE_MS,
  PRESETS,
  type Preset
} from '../packages/server/src/domain/limits.ts'
import { BEGINNING, END } from '../packages/server/src/domain/post-id.ts'
import { policyOnce } from '../packages/server/src/fanout/policy.ts'
import type { ListKey } from '../packages/server/src/ports/feeds.ts'
import { askRedis } from '../scripts/services/redis-server.ts'
import { urlInEnvironment } from '../scripts/services/service.ts'
import { eventually } from '../testkit/redis-feeds.ts'
import { startServer, type TestServer } from '../testkit/server.ts'
import { without } from '../testkit/services.ts'
import { walk } from '../testkit/walk.ts'
import { MODES } from './modes.ts'

const activityFeed = {
  cap: 800,
  threshold: 100_000,
  delivery: 'hybrid',
  idleMs: 30 * DAY_MS,
  idleFrom: 'read',
  emptyMs: 30 * DAY_MS,
  backfillAuthors: 50,
  numberedPages: false,
  candidates: null,
  scoreMs: 5 * MINUTE_MS,
  sessionMs: 30 * MINUTE_MS
} as const satisfies Partial<Limits>

type Numbers = { [K in keyof typeof activityFeed]: Limits[K] }

const TABLE: Record<Preset, Numbers> = {
  'activity-feed': activityFeed,
  'news-feed': { ...activityFeed, cap: 500, candidates: 500 },
  enterprise: {
    ...activityFeed,
    cap: 1000,
    delivery: 'push',
    idleMs: 60 * HOUR_MS,
    idleFrom: 'build',
    emptyMs: 5 * MINUTE_MS,
    numberedPages: true
  },
  'news-feed-ml': { ...activityFeed, candidates: 200 }
}

interface Running {
  readonly server: TestServer
  readonly preset: Preset
  readonly numbers: Numbers
  /** Time left of what is kept of a user, in ms; `left` sets it. Only with Redis. */
  life(kind: 'feed' | 'session', user: string, left?: number): Promise<number>
}

for (const [preset, numbers] of Object.entries(TABLE) as [Preset, Numbers][])
  for (const mode of ['embedded', 'single', 'zset'] as const)
    test(`preset ${preset} [${mode}]`, { skip: without(...MODES[mode].needs) }, async t => {
      const settings = { ...MODES[mode].settings(), preset }
      const server = await startServer(t, { settings })
      const running: Running = {
        server,
        preset,
        numbers,
        async life(kind, user, left) {
          const key = `${settings.prefix}:${kind}:{${await numberOf(server, user)}}`
          const port = Number(new URL(urlInEnvironment('redis') ?? '').port)
          if (left !== undefined) await askRedis(port, 'PEXPIRE', key, String(left))
          return Number(await askRedis(port, 'PTTL', key))
        }
      }
      const { limits } = await server.admin.stats()
      for (const [name, value] of Object.entries(numbers))
        assert.deepEqual(limits[name], value, name)
      await checkCap(running)
      if (mode !== 'embedded') await checkLives(running, t)
      await checkBackfill(running)
      await checkThreshold(running)
      await checkNumbers(running)
    })

async function numberOf({ app }: TestServer, user: string): Promise<number> {
  const [found] = await app.ports.store.usersByIds([user])
  assert.ok(found, user)
  return found.number
}

const keyOf = async (server: TestServer, user: string): Promise<ListKey> =>
  `feed:${await numberOf(server, user)}`

const stateOf = async (server: TestServer, user: string) =>
  (await server.app.ports.feeds.take(await keyOf(server, user), END, 1)).state

/** Reads until the feed is warm. */
async function warmUp(server: TestServer, user: string): Promise<void> {
  await eventually(async () => {
    await server.client(user).feed({ limit: 1 })
    return (await stateOf(server, user)) === 'warm'
  })
}

async function importPosts(server: TestServer, author: string, count: number): Promise<PostId[]> {
  const start = Date.now() - 30 * DAY_MS
  const ids: PostId[] = []
  for (let made = 0; made < count; ) {
    const posts = Array.from({ length: Math.min(1000, count - made) }, () => ({
      author,
      content: 'text',
      createdAt: new Date(start + 1000 * made++).toISOString()
    }))
    ids.push(...(await server.admin.batch({ posts })).postIds)
  }
  await server.admin.settle(30_000)
  return ids.reverse()
}

/** A feed holds so many ids and its floor is the next one; the walk goes on below. */
async function checkCap({ server, numbers: { cap } }: Running): Promise<void> {
  await server.admin.batch({
    users: [{ id: 'v' }, { id: 'lone' }],
    follows: [{ follower: 'v', followee: 'a' }]
  })
  const ids = await importPosts(server, 'a', cap + 30)
  await warmUp(server, 'v')
  const { feeds } = server.app.ports
  const taken = await feeds.take(await keyOf(server, 'v'), END, 2 * cap)
  assert.deepEqual([taken.ids.length, taken.floor], [cap, ids[cap]])
  assert.deepEqual(await walk(query => server.client('v').feed(query), 100), ids)
}

/** How long a feed lives, whether reads renew that, and how long an empty one does. */
async function checkLives({ server, numbers, life }: Running, t: TestContext): Promise<void> {
  const about = (left: number, ms: number) => {
    t.diagnostic(`${left} of ${ms} ms`)
    assert.ok(left <= ms && left > ms - 3 * MINUTE_MS, `${left} of ${ms} ms`)
  }
  about(await life('feed', 'v'), numbers.idleMs)
  const old = numbers.idleMs - 2 * DAY_MS
  await life('feed', 'v', old)
  await server.client('v').feed()
  about(await life('feed', 'v'), numbers.idleFrom === 'read' ? numbers.idleMs : old)
  await warmUp(server, 'lone')
  const { feeds } = server.app.ports
  const empty = await feeds.take(await keyOf(server, 'lone'), END, 1)
  assert.deepEqual([empty.state, empty.floor], ['warm', BEGINNING])
  about(await life('feed', 'lone'), numbers.emptyMs)
  // Whoever stays away is not pushed to, and finds all when they are back.
  await life('feed', 'lone', 0)
  await eventually(async () => (await stateOf(server, 'lone')) === 'cold')
  await server.app.ports.store.follow(await numberOf(server, 'lone'), await numberOf(server, 'a'))
  const { id } = await server.client('a').createPost({ content: 'to nobody' })
  await server.admin.settle(10_000)
  assert.equal(await stateOf(server, 'lone'), 'cold')
  assert.equal((await server.client('lone').feed()).items[0]?.id, id)
  await server.client('a').deletePost(id)
}

/** So many follows at once are backfilled; with one more the feed is dropped once. */
async function checkBackfill({ server, numbers: { backfillAuthors } }: Running): Promise<void> {
  for (const [user, count] of [
    ['some', backfillAuthors],
    ['many', backfillAuthors + 1]
  ] as const) {
    await server.admin.batch({ users: [{ id: user }] })
    await warmUp(server, user)
    const followees = Array.from({ length: count }, (_, n) => `w${n}`)
    await server.admin.batch({
      users: followees.map(id => ({ id })),
      follows: followees.map(followee => ({ follower: user, followee }))
    })
    assert.equal(await stateOf(server, user), user === 'some' ? 'warm' : 'cold', user)
  }
}

/** From so many followers on posts are merged, if they ever are; well below, they are pushed again. */
async function checkThreshold({ server, preset, numbers }: Running): Promise<void> {
  const { store } = server.app.ports
  const [star, almost] = [await numberOf(server, 'w0'), await numberOf(server, 'w1')]
  const count = (followers: number, user: number) =>
    withClient(server.databaseUrl, client =>
      client.query('update users set followers_count = $1 where number = $2', [followers, user])
    )
  const delivery = async (user: number) => (await store.deliveryOf([user]))[0]?.delivery
  const { threshold } = numbers
  // Counts that come in later would add to these.
  await server.admin.settle(10_000)
  await count(threshold - 1, almost)
  await count(threshold, star)
  if (numbers.delivery === 'push') {
    assert.equal(await policyOnce({ ...server.app.ports, limits: PRESETS[preset] }), 0)
    assert.equal(await delivery(star), 'push')
    return
  }
  // Again and again, since the janitor sets counts right that have no rows behind them.
  const until = (followers: number, isThere: (delivery: string | undefined) => boolean) =>
    eventually(async () => {
      await count(followers, star)
      return isThere(await delivery(star))
    }, 30_000)
  await until(threshold, now => now === 'pull')
  assert.equal(await delivery(almost), 'push')
  await count(0.8 * threshold, star)
  await policyOnce({ ...server.app.ports, limits: PRESETS[preset] })
  assert.equal(await delivery(star), 'pull')
  await until(0.8 * threshold - 1, now => now === 'push')
}

async function checkNumbers({ server, numbers, life }: Running): Promise<void> {
  const v = server.client('v')
  if (!numbers.numberedPages)
    return assert.rejects(v.feed({ page: 1 }), { code: 'invalid_request' })
  const first = await v.feed({ page: 1, size: 50 })
  await server.client('v').createPost({ content: 'above' })
  const second = await v.feed({ page: 2, size: 50 })
  const ids = [...first.items, ...second.items].map(({ id }) => id)
  assert.equal(new Set(ids).size, 100)
  if (server.app.mode === 'embedded') return
  const left = await life('session', 'v')
  assert.ok(left > numbers.sessionMs - MINUTE_MS && left <= numbers.sessionMs, `${left} ms`)
}
