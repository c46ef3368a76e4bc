// What a scenario may do to a server, in each of the modes.
import test, { type TestContext } from 'node:test'
import type { AdminApi, FeedApi, PostId } from '@fanwise/sdk'
import { urlInEnvironment } from '../scripts/services/service.ts'
import { startDebezium } from '../testkit/debezium.ts'
import { type ServerOptions, startServer, type TestServer } from '../testkit/server.ts'
import { without } from '../testkit/services.ts'
import { walk } from '../testkit/walk.ts'
import { MODES, type Mode } from './modes.ts'

/** A running server as a scenario sees it. */
export interface World {
  readonly mode: Mode
  as(user: string): FeedApi
  readonly admin: AdminApi
  readonly databaseUrl: string
  /** Waits until all that was written has reached the feeds. */
  settle(): Promise<void>
  /** The feeds of these users, or everything that is not in the Store, are gone. */
  evict(...users: string[]): Promise<void>
  /** Takes an entry out of a warm feed behind everybody's back. */
  damage(user: string, post: PostId): Promise<void>
  /** Stops the server and starts another one on the same database. */
  restart(options?: ServerOptions): Promise<void>
  /** Ends what runs; scenario() does so after each run. */
  stop(): Promise<void>
}

export interface ScenarioOptions extends ServerOptions {
  /** All modes but `cdc` if absent. */
  modes?: readonly Mode[]
  /** Also with Debezium in place of our relay. */
  cdc?: boolean
}

const ALL: readonly Mode[] = ['embedded', 'http', 'single', 'zset', 'cluster', 'distributed']

/** Registers one test for each mode. */
export function scenario(
  name: string,
  { modes = ALL, cdc = false, ...options }: ScenarioOptions,
  run: (world: World, t: TestContext) => Promise<void>
): void {
  for (const mode of cdc ? [...modes, 'cdc' as const] : modes)
    test(`${name} [${mode}]`, { skip: without(...MODES[mode].needs) }, async t => {
      const world = await createWorld(t, mode, options)
      try {
        await run(world, t)
      } finally {
        await world.stop()
      }
    })
}

/** The servers of a mode on one database: the first one answers. */
async function startAll(t: TestContext, mode: Mode, options: ServerOptions): Promise<TestServer[]> {
  const servers: TestServer[] = []
  let databaseUrl = options.databaseUrl
  for (const roles of MODES[mode].roles) {
    const settings = {
      ...(MODES[mode].roles.length > 1 && { roles: roles.join(',') }),
      ...options.settings
    }
    const server = await startServer(t, {
      ...options,
      settings,
      ...(databaseUrl && { databaseUrl })
    })
    databaseUrl = server.databaseUrl
    servers.push(server)
  }
  return servers
}

async function stopAll(servers: readonly TestServer[]): Promise<void> {
  await Promise.all(servers.map(server => server[Symbol.asyncDispose]()))
}

/** Debezium on the server's database. It has to go before the database does. */
function carryByDebezium({ databaseUrl }: TestServer, prefix = ''): Promise<AsyncDisposable> {
  const connectUrl = urlInEnvironment('connect') ?? ''
  const settings = { 'heartbeat.interval.ms': '250' }
  return startDebezium({ connectUrl, databaseUrl, prefix, settings })
}

export async function createWorld(
  t: TestContext,
  mode: Mode,
  given: ServerOptions
): Promise<World> {
  const options = { ...given, settings: { ...MODES[mode].settings(), ...given.settings } }
  let servers = await startAll(t, mode, options)
  const debezium =
    mode === 'cdc' ? await carryByDebezium(first(), options.settings.prefix) : undefined
  function first(): TestServer {
    const [server] = servers
    if (server === undefined) throw new Error('no server runs')
    return server
  }
  const inProcess = mode === 'embedded'
  return {
    mode,
    as: user => (inProcess ? first().app.feed.as(user) : first().client(user)),
    get admin() {
      return inProcess ? first().app.feed.admin : first().admin
    },
    get databaseUrl() {
      return first().databaseUrl
    },
    async settle() {
      if (!(await first().app.feed.admin.settle(20_000))) throw new Error('not settled after 20 s')
    },
    async evict(...users) {
      const { feeds, store } = first().app.ports
      if (users.length === 0) return feeds.clear()
      const found = await store.usersByIds(users)
      await feeds.drop(found.map(({ number }) => `feed:${number}` as const))
    },
    async damage(user, post) {
      const { feeds, store } = first().app.ports
      const [found] = await store.usersByIds([user])
      await feeds.remove(`feed:${found?.number ?? 0}`, [post])
    },
    async restart(changed = {}) {
      const { databaseUrl } = first()
      await stopAll(servers)
      const settings = { ...options.settings, ...changed.settings }
      servers = await startAll(t, mode, { ...options, ...changed, settings, databaseUrl })
    },
    async stop() {
      await debezium?.[Symbol.asyncDispose]()
      await stopAll(servers)
    }
  }
}

/** The ids of a reader's whole home feed. */
export function walkHome(world: World, reader: string, limit = 20): Promise<PostId[]> {
  return walk(query => world.as(reader).feed(query), limit)
}

/** Posts `count` times, one after the other; returns the ids, newest first. */
export async function postMany(world: World, author: string, count: number): Promise<PostId[]> {
  const ids: PostId[] = []
  for (let n = 1; n <= count; n++)
    ids.unshift((await world.as(author).createPost({ content: `${author} ${n}` })).id)
  return ids
}

/** Makes the users and lets `reader` follow the authors. */
export async function following(world: World, reader: string, ...authors: string[]): Promise<void> {
  await world.admin.batch({
    users: [reader, ...authors].map(id => ({ id })),
    follows: authors.map(followee => ({ follower: reader, followee }))
  })
}
