// The modes that every scenario runs in, and what a scenario may do to a server.
import test, { type TestContext } from 'node:test'
import type { AdminApi, FeedApi, PostId } from '@fanwise/sdk'
import { type ServerOptions, startServer, type TestServer } from '../testkit/server.ts'
import { walk } from '../testkit/walk.ts'

export type Mode = 'embedded' | 'http'
const MODES: readonly Mode[] = ['embedded', 'http']

/** A running server as a scenario sees it. */
export interface World {
  readonly mode: Mode
  as(user: string): FeedApi
  readonly admin: AdminApi
  /** Waits until all that was written has reached the feeds. */
  settle(): Promise<void>
  /** The feeds of these users, or everything that is not in the Store, are gone. */
  evict(...users: string[]): Promise<void>
  /** Takes an entry out of a warm feed behind everybody's back. */
  damage(user: string, post: PostId): Promise<void>
  /** Stops the server and starts another one on the same database. */
  restart(options?: ServerOptions): Promise<void>
  /** Before the test ends, to make room for another one. */
  stop(): Promise<void>
}

/** Registers one test for each mode. */
export function scenario(
  name: string,
  options: ServerOptions,
  run: (world: World, t: TestContext) => Promise<void>
): void {
  for (const mode of MODES)
    test(`${name} [${mode}]`, async t => {
      await run(await createWorld(t, mode, options), t)
    })
}

export async function createWorld(
  t: TestContext,
  mode: Mode,
  options: ServerOptions
): Promise<World> {
  let server: TestServer = await startServer(t, options)
  return {
    mode,
    as: user => (mode === 'http' ? server.client(user) : server.app.feed.as(user)),
    get admin() {
      return mode === 'http' ? server.admin : server.app.feed.admin
    },
    async settle() {
      if (!(await server.app.feed.admin.settle(20_000))) throw new Error('not settled after 20 s')
    },
    async evict(...users) {
      const { feeds, store } = server.app.ports
      if (users.length === 0) return feeds.clear()
      const found = await store.usersByIds(users)
      await feeds.drop(found.map(({ number }) => `feed:${number}` as const))
    },
    async damage(user, post) {
      const { feeds, store } = server.app.ports
      const [found] = await store.usersByIds([user])
      await feeds.remove(`feed:${found?.number ?? 0}`, [post])
    },
    async restart(changed = {}) {
      const { databaseUrl } = server
      await server[Symbol.asyncDispose]()
      server = await startServer(t, { ...options, ...changed, databaseUrl })
    },
    stop: async () => server[Symbol.asyncDispose]()
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
