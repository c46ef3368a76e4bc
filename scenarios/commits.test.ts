// Own posts and changes of rules on whatever server reads end up, by what writes answer about themselves.
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { FanwiseClient, type PostId } from '@fanwise/sdk'
import type { Rules } from '../packages/server/src/domain/rules.ts'
import type { ListKey } from '../packages/server/src/ports/feeds.ts'
import { urlInEnvironment } from '../scripts/services/service.ts'
import { eventually } from '../testkit/redis-feeds.ts'
import { startServer, type TestServer } from '../testkit/server.ts'
import { without } from '../testkit/services.ts'
import { createProxy, type TcpProxy } from '../testkit/tcp-proxy.ts'
import { walk } from '../testkit/walk.ts'
import { MODES, type Mode } from './modes.ts'
import { scenario } from './world.ts'

scenario('what one client writes, its next read shows', {}, async world => {
  const ann = world.as('ann')
  const bob = world.as('bob')
  const older = await bob.createPost({ content: 'before' })
  await ann.follow('bob')
  const own = await ann.createPost({ content: 'own' })
  const ids = async () => (await ann.feed({ limit: 50 })).items.map(({ id }) => id)
  assert.deepEqual(await ids(), [own.id, older.id])
  await ann.editPost(own.id, { content: 'edited' })
  assert.equal((await ann.feed()).items[0]?.content, 'edited')
  await ann.hide(own.id)
  assert.deepEqual(await ids(), [older.id])
  await ann.unhide(own.id)
  await ann.mute('bob')
  assert.deepEqual(await ids(), [own.id])
  await ann.unmute('bob')
  await ann.deletePost(own.id)
  assert.deepEqual(await ids(), [older.id])
  await ann.unfollow('bob')
  assert.deepEqual(await ids(), [])
})

/** Two servers that answer and do no work: nobody carries what the first one could not push. */
interface Pair {
  readonly writes: TestServer
  readonly reads: TestServer
  /** Between the first server and Redis. */
  readonly proxy: TcpProxy
}

function each(name: string, run: (pair: Pair, t: TestContext) => Promise<void>): void {
  for (const mode of ['single', 'zset'] as const)
    test(`${name} [${mode}]`, { skip: without('redis') }, async t =>
      run(await startPair(t, mode), t)
    )
}

async function startPair(t: TestContext, mode: Mode): Promise<Pair> {
  const settings = { ...MODES[mode].settings(), roles: 'api' }
  const { hostname, port } = new URL(urlInEnvironment('redis') ?? '')
  const proxy = await createProxy({ host: hostname, port: Number(port) })
  t.after(() => proxy[Symbol.asyncDispose]())
  const writes = await startServer(t, {
    settings: { ...settings, redisUrls: `redis://127.0.0.1:${proxy.port}` }
  })
  const reads = await startServer(t, { settings, databaseUrl: writes.databaseUrl })
  return { writes, reads, proxy }
}

async function numberOf({ app }: TestServer, user: string): Promise<number> {
  const [found] = await app.ports.store.usersByIds([user])
  return found?.number ?? 0
}

/** Reads until the feed is warm: then pages come from it. */
async function warmUp(server: TestServer, user: string): Promise<void> {
  const list: ListKey = `feed:${await numberOf(server, user)}`
  await eventually(async () => {
    await server.client(user).feed()
    return (await server.app.ports.feeds.take(list, '9'.repeat(19), 1)).state === 'warm'
  })
}

/** Lets both servers find rules of another time. */
async function plant({ app }: TestServer, reader: number, rules: Rules): Promise<void> {
  const { feeds } = app.ports
  await feeds.dropRules([reader])
  const read = await feeds.rules(reader)
  assert.ok('lease' in read && read.lease !== null)
  await feeds.fillRules(reader, read.lease, rules)
}

for (const fault of ['cut', 'slow'] as const)
  each(
    `a post written while Feeds are ${fault} shows on the other server`,
    async ({ writes, reads, proxy }) => {
      await reads.admin.batch({
        users: [{ id: 'ann' }, { id: 'bob' }],
        follows: [{ follower: 'ann', followee: 'bob' }]
      })
      const ann = writes.client('ann')
      const first = await ann.createPost({ content: 'warm' })
      await warmUp(reads, 'ann')
      if (fault === 'cut') proxy.cut()
      else proxy.delay(3000)
      const made: PostId[] = [first.id]
      for (let n = 0; n < 3; n++) made.unshift((await ann.createPost({ content: `${n}` })).id)
      const walkOf = (client: FanwiseClient) => walk(query => client.feed(query), 2)
      // Here the post is owed by the other server, and no worker runs.
      if (fault === 'cut') assert.deepEqual(await walkOf(reads.client('ann')), [first.id])
      const { commit } = ann
      assert.ok(commit)
      const other = new FanwiseClient({ url: reads.url, token: () => reads.token('ann'), commit })
      assert.deepEqual(await walkOf(other), made)
      assert.deepEqual((await other.newer({ after: first.id })).count, 3)
      const up = await other.feed({ after: first.id, limit: 2 })
      assert.deepEqual(
        up.items.map(({ id }) => id),
        made.slice(0, 3).reverse().slice(0, 2)
      )
      proxy.heal()
    }
  )

each(
  'rules that were cached before a change are not used with its token',
  async ({ writes, reads }) => {
    await reads.admin.batch({
      users: [{ id: 'ann' }, { id: 'bob' }],
      follows: [{ follower: 'ann', followee: 'bob' }]
    })
    const post = await writes.client('bob').createPost({ content: 'text' })
    const number = await numberOf(reads, 'ann')
    const stale = await reads.app.ports.store.rules(number)
    await warmUp(reads, 'ann')
    const changes: readonly [(ann: FanwiseClient) => Promise<unknown>, boolean][] = [
      [ann => ann.mute('bob'), false],
      [ann => ann.unmute('bob'), true],
      [ann => ann.hide(post.id), false],
      [ann => ann.unhide(post.id), true],
      [ann => ann.unfollow('bob'), false],
      [ann => ann.follow('bob'), true],
      [ann => ann.block('bob'), false]
    ]
    for (const [change, shows] of changes) {
      const before = await reads.app.ports.store.rules(number)
      const ann = writes.client('ann')
      await change(ann)
      await plant(reads, number, shows ? before : stale)
      const ids = async (client: FanwiseClient) => (await client.feed()).items.map(({ id }) => id)
      assert.deepEqual(await ids(reads.client('ann')), shows ? [] : [post.id], 'without the token')
      const { commit } = ann
      assert.ok(commit)
      const other = new FanwiseClient({ url: reads.url, token: () => reads.token('ann'), commit })
      assert.deepEqual(await ids(other), shows ? [post.id] : [], 'with it')
      await plant(reads, number, await reads.app.ports.store.rules(number))
    }
  }
)

test('tokens go over headers, add up, and garbage is 400 on every read', async t => {
  const server = await startServer(t)
  const authorization = `Bearer ${await server.token('ann')}`
  const ask = (method: string, path: string, headers: Record<string, string> = {}, body?: object) =>
    fetch(`${server.url}${path}`, {
      method,
      headers: { authorization, ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) })
    })
  const tokens: string[] = []
  for (const n of [1, 2]) {
    const made = await ask('POST', '/v1/posts', {}, { content: `${n}` })
    tokens.push(made.headers.get('fanwise-commit') ?? '')
  }
  assert.ok(tokens.every(token => /^[\w-]+$/.test(token)))
  for (const text of [tokens.join(','), tokens.join(', '), tokens[0] ?? '']) {
    const page = await ask('GET', '/v1/feed', { 'fanwise-min-commit': text })
    assert.equal(page.status, 200)
    assert.equal(page.headers.get('fanwise-commit'), null, 'a read writes nothing')
  }
  const post = ((await (await ask('GET', '/v1/feed')).json()) as { items: { id: string }[] })
    .items[0]
  const id = post?.id ?? ''
  const paths = [
    ...['/v1/feed', `/v1/feed/newer?after=${id}`, `/v1/posts/${id}`, '/v1/users/ann'],
    ...['/v1/users/ann/posts', '/v1/users/ann/followers', '/v1/blocks']
  ]
  const cut = tokens[0]?.slice(1) ?? ''
  for (const path of paths)
    for (const garbage of ['', 'x', cut, `${tokens[0]},`, 'A'.repeat(5000), '"; drop table']) {
      const refused = await ask('GET', path, { 'fanwise-min-commit': garbage })
      assert.equal(refused.status, 400, `${path} ${garbage.slice(0, 20)}`)
      assert.equal(((await refused.json()) as { code: string }).code, 'invalid_commit')
    }
  // Somebody else's token changes nothing that they see.
  const bob = { authorization: `Bearer ${await server.token('bob')}` }
  await ask('POST', '/v1/posts', bob, { content: 'own' })
  const seen = await ask('GET', '/v1/feed', { ...bob, 'fanwise-min-commit': tokens.join(',') })
  assert.equal(((await seen.json()) as { items: unknown[] }).items.length, 1)
})
