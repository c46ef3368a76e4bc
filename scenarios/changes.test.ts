// Settings that change on a running system: feeds that are warm stay exact under what they were not made for.
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import type { FeedApi, PostId } from '@fanwise/sdk'
import { withClient } from '../packages/server/src/adapters/postgres/bundled/with-client.ts'
import { startServer, type TestServer } from '../testkit/server.ts'
import { without } from '../testkit/services.ts'
import { thorough } from '../testkit/thorough.ts'
import { walk } from '../testkit/walk.ts'
import { MODES, type Mode } from './modes.ts'
import { following, scenario, type World } from './world.ts'

type Settings = Parameters<World['restart']>[0]

const LIMITS = { graceMs: 20, slack: 3 }
const READERS = ['v', 'w', 'x']

/** Everybody follows `s`; `v` and `w` follow `a` too, and `x` nobody else. */
async function settleDown(world: World): Promise<void> {
  await following(world, 'v', 'a', 's')
  await following(world, 'w', 'a', 's')
  await following(world, 'x', 's')
}

/** What was posted so far, and whose it is. */
class Posted {
  readonly #posts: { readonly id: PostId; readonly author: string }[] = []

  async add(as: (user: string) => FeedApi, ...authors: string[]): Promise<void> {
    for (const author of authors)
      this.#posts.push({ id: (await as(author).createPost({ content: author })).id, author })
  }

  of(...authors: string[]): PostId[] {
    const wanted = this.#posts.filter(({ author }) => authors.includes(author))
    return wanted
      .map(({ id }) => id)
      .sort()
      .reverse()
  }

  /** What readers have to see, whether they read in small steps or in large ones. */
  async check(as: (user: string) => FeedApi, when: string): Promise<void> {
    for (const reader of READERS) {
      const authors = reader === 'x' ? ['s', 'x'] : ['a', 's', reader]
      for (const limit of [2, 50])
        assert.deepEqual(
          await walk(query => as(reader).feed(query), limit),
          this.of(...authors),
          `${when}: ${reader} by ${limit}`
        )
    }
  }
}

const AUTHORS = ['a', 's', 'v', 's', 'a', 'x', 's']

/** Restarts with each of the settings in turn. Nothing is evicted: Redis keeps its lists, embedded loses them. */
async function through(world: World, changes: readonly NonNullable<Settings>[]): Promise<void> {
  const posted = new Posted()
  const as = (user: string) => world.as(user)
  await settleDown(world)
  await posted.add(as, ...AUTHORS, ...AUTHORS)
  await world.settle()
  await posted.check(as, 'at first')
  for (const change of changes) {
    const when = JSON.stringify(change.settings)
    // What is on its way is worked off under the settings that follow.
    await settleLongAgo(world)
    await posted.add(as, ...AUTHORS)
    await world.restart({ ...change, limits: LIMITS })
    if (change.settings?.feeds === undefined) await assertWarm(world)
    await world.settle()
    await posted.check(as, when)
    await world.as('w').unfollow('s')
    await posted.add(as, 's', 'a')
    await world.as('w').follow('s')
    await posted.add(as, 's')
    await world.settle()
    await posted.check(as, `${when} after a new follow`)
  }
  for (const reader of READERS) {
    const { differences, examples } = await world.admin.verify(reader)
    assert.equal(differences, 0, JSON.stringify(examples))
  }
}

/** Whoever takes over drops the feeds of readers whose follows changed a moment ago; all is long ago now. */
async function settleLongAgo(world: World): Promise<void> {
  await world.settle()
  const sql = "update outbox set published_at = published_at - interval '1 hour'"
  await withClient(world.databaseUrl, client => client.query(sql))
}

/** In the other modes the lists were in the memory of the server, or who takes over drops them: Kafka knows their age. */
const KEEPING: readonly Mode[] = ['single', 'zset', 'cluster']

/** The lists that were made before are still there. */
async function assertWarm(world: World): Promise<void> {
  if (!KEEPING.includes(world.mode)) return
  assert.ok((await world.admin.stats()).feeds.warm > 0, 'nothing is warm')
}

const MODES_OF_A_RUN: readonly Mode[] = thorough
  ? ['embedded', 'single', 'zset', 'cluster', 'distributed']
  : ['embedded', 'single']

const start = { settings: { cap: '10', threshold: '3' }, limits: LIMITS }
const changing = (...settings: NonNullable<Settings>['settings'][]) =>
  settings.map(one => ({ settings: one ?? {} }))

scenario(
  'FO-01: delivery changes with a restart over warm feeds',
  { ...start, modes: MODES_OF_A_RUN },
  world =>
    through(
      world,
      changing(
        { delivery: 'push' },
        { delivery: 'pull' },
        { delivery: 'hybrid' },
        { delivery: 'pull' },
        { delivery: 'push' }
      )
    )
)

scenario(
  'FO-01: cap and threshold change with a restart over warm feeds',
  { ...start, modes: MODES_OF_A_RUN },
  world =>
    through(
      world,
      changing({ cap: '30' }, { cap: '12', threshold: '2' }, { cap: '100' }, { threshold: '1000' })
    )
)

scenario(
  'FO-01: the preset changes with a restart over warm feeds',
  { ...start, modes: MODES_OF_A_RUN },
  world =>
    through(
      world,
      changing(
        { preset: 'enterprise', cap: '', delivery: '' },
        { preset: 'news-feed', cap: '15' },
        { preset: 'news-feed-ml', cap: '10', threshold: '2' },
        { preset: 'activity-feed', cap: '' }
      )
    )
)

scenario(
  'lists become sorted sets with a restart over warm feeds, and lists again',
  { ...start, modes: ['single', 'cluster'] },
  world => through(world, changing({ feeds: 'zset' }, { feeds: 'list' }))
)

/** Two servers that disagree about everything, on one database and one Redis. */
async function disagreeing(t: TestContext, other: NonNullable<Settings>['settings']) {
  const shared = MODES.single.settings()
  const one = await startServer(t, { ...start, settings: { ...shared, ...start.settings } })
  const two = await startServer(t, {
    limits: LIMITS,
    settings: { ...shared, ...start.settings, ...other },
    databaseUrl: one.databaseUrl
  })
  return [one, two] as const
}

const OTHERS = [
  { delivery: 'push', cap: '40' },
  { delivery: 'pull', cap: '15' },
  { preset: 'enterprise', cap: '25', threshold: '2' },
  { feeds: 'zset' }
]

for (const other of OTHERS)
  test(`FO-01: servers that disagree for a while, ${JSON.stringify(other)}`, {
    skip: without('redis')
  }, async t => {
    const servers = await disagreeing(t, other)
    const [one, two] = servers
    let turn = 0
    const either = (user: string): FeedApi => (servers[turn++ % 2] as TestServer).client(user)
    await one.admin.batch({
      users: ['v', 'w', 'x', 'a', 's'].map(id => ({ id })),
      follows: [
        ...['v', 'w'].map(follower => ({ follower, followee: 'a' })),
        ...['v', 'w', 'x'].map(follower => ({ follower, followee: 's' }))
      ]
    })
    const posted = new Posted()
    for (let round = 0; round < 4; round++) {
      await posted.add(either, ...AUTHORS)
      await either('w').unfollow('s')
      await posted.add(either, 's')
      await either('w').follow('s')
      assert.ok(await one.admin.settle(20_000))
      await posted.check(either, `round ${round}`)
    }
    // The first one goes, and the other takes over its lanes and its lists.
    await one[Symbol.asyncDispose]()
    const left = (user: string): FeedApi => two.client(user)
    await posted.add(left, ...AUTHORS)
    assert.ok(await two.admin.settle(20_000))
    await posted.check(left, 'alone')
    for (const reader of READERS)
      assert.equal((await two.admin.verify(reader)).differences, 0, reader)
  })
