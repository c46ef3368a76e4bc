import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import test, { type TestContext } from 'node:test'
import { FanwiseAdmin } from '@fanwise/sdk'
import { startServer, type TestServer } from '../../../../../testkit/server.ts'
import { peopleOfSource } from './people-of-source.ts'
import { type ImportOptions, runImport } from './run.ts'
import { openSource, sizeOf } from './source.ts'
import { spreadOver } from './spread.ts'

async function written(t: TestContext, name: string, text: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'fanwise-import-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = path.join(folder, name)
  await writeFile(file, text)
  return file
}

const OPTIONS = { undirected: false, columns: new Map<string, string>() }

async function load(server: TestServer, file: string, options?: ImportOptions) {
  return runImport(server.admin, await openSource(file, OPTIONS), options)
}

test('lines that the server refuses are told with its words; all others are imported', async t => {
  const server = await startServer(t)
  await server.client('gone').createPost({ content: 'x' })
  await server.client('gone').deleteMe()
  const people = Array.from({ length: 40 }, (_, n) => (n === 7 || n === 31 ? 'gone' : `u${n}`))
  const rows = people.map((author, n) => `${author},"post ${n}",key${n}`).join('\n')
  const posts = await load(
    server,
    await written(t, 'p.csv', `author,content,externalId\n${rows}\n`)
  )
  assert.deepEqual([posts.created.posts, posts.records, posts.rejected], [38, 38, 2])
  assert.deepEqual(
    posts.rejections.map(({ line }) => line),
    [9, 33]
  )
  assert.match(posts.rejections[0]?.reason ?? '', /account was deleted/)

  const lines = [
    { kind: 'like', user: 'bob', author: 'u1', externalId: 'nope' },
    { kind: 'like', user: 'bob', author: 'u1', externalId: 'key1' },
    { kind: 'user', id: 'zed', name: 'Zed', visibility: 'private' },
    { kind: 'user', id: 'yan', visibility: 'secret' }
  ].map(line => JSON.stringify(line))
  const mixed = await load(server, await written(t, 'm.ndjson', lines.join('\n')))
  assert.deepEqual([mixed.created.likes, mixed.rejected], [1, 2])
  assert.deepEqual(mixed.rejections.map(({ line }) => line).sort(), [1, 4])
  const { name, visibility } = await server.client('bob').getUser('zed')
  assert.deepEqual([name, visibility], ['Zed', 'private'])
})

test('what is wrong with the whole request ends the import', async t => {
  const server = await startServer(t)
  const file = await written(t, 'p.csv', 'author,content\na,hi\n')
  const keyless = new FanwiseAdmin({ url: server.url, serverKey: 'x'.repeat(40), retries: 0 })
  await assert.rejects(runImport(keyless, await openSource(file, OPTIONS)), {
    code: 'unauthenticated'
  })
})

test('an import that is interrupted goes on where it was', async t => {
  const server = await startServer(t)
  const rows = Array.from({ length: 2500 }, (_, n) => `a${n % 50},post ${n}`)
  const file = await written(t, 'p.csv', `author,content\n${rows.join('\n')}\n`)
  const stop = new AbortController()
  const cut = await load(server, file, { onProgress: () => stop.abort(), signal: stop.signal })
  assert.deepEqual([cut.created.posts, cut.interrupted], [1000, true])
  const rest = await load(server, file)
  assert.deepEqual([rest.created.posts, rest.interrupted], [1500, false])
})

test('what was read of a source is told, up to its size', async t => {
  const server = await startServer(t)
  const file = await written(t, 'p.csv', `author,content\n${'a,hi\n'.repeat(1200)}`)
  let read = 0
  const onRead = (bytes: number) => (read += bytes)
  await runImport(server.admin, await openSource(file, { ...OPTIONS, onRead }))
  assert.equal(read, await sizeOf(file))
})

test('posts spread over people stay with them when others sign up', async t => {
  const server = await startServer(t)
  const users = Array.from({ length: 20 }, (_, n) => ({ id: `u${n}` }))
  await server.admin.batch({ users })
  const rows = Array.from({ length: 50 }, (_, n) => `x${n},hello ${n}`)
  const file = await written(t, 'p.csv', `author,content\n${rows.join('\n')}\n`)
  const folder = path.dirname(file)
  const spreadLoad = async (of: TestServer) => {
    const spread = spreadOver(await peopleOfSource(of.admin, file, folder))
    const source = await openSource(file, OPTIONS)
    const records = (async function* () {
      for await (const record of source) yield spread(record)
    })()
    return (await runImport(of.admin, records)).created.posts
  }
  assert.equal(await spreadLoad(server), 50)
  await server.client('newcomer').createPost({ content: 'hi' })
  assert.equal(await spreadLoad(server), 0)
  await writeFile(file, `author,content\n${[...rows, 'x50,one more'].join('\n')}\n`)

  const other = await startServer(t)
  await other.admin.batch({ users: [{ id: 'somebody' }, { id: 'u0' }] })
  assert.equal(await spreadLoad(other), 51)
  assert.equal((await other.admin.stats()).users, 2, 'nobody of the first server is made here')
})
