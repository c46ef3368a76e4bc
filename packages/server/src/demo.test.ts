import assert from 'node:assert/strict'
import test from 'node:test'
import { startServer } from '../../../testkit/server.ts'
import { loadDemo } from './demo.ts'

const SIZE = { users: 1200, posts: 1500, follows: 5, likes: 300, days: 3, seed: 1 }

test('a demo that was cut short is completed by the next start, and then left alone', async t => {
  const server = await startServer(t)
  const lines: string[] = []
  const cut = new AbortController()
  const load = (signal: AbortSignal) =>
    loadDemo(
      server.app,
      signal,
      line => {
        lines.push(line)
        if (line.endsWith('%')) cut.abort()
      },
      SIZE
    )
  await load(cut.signal)
  const { users, posts, likes } = await server.admin.stats()
  assert.ok(users > 0 && posts < SIZE.posts, `${users} users, ${posts} posts`)
  assert.equal(likes, 0)

  const again = new AbortController().signal
  await load(again)
  const whole = await server.admin.stats()
  assert.equal(whole.posts, SIZE.posts)
  assert.ok(whole.likes > 0)
  const [first] = (await server.admin.users({ limit: 1 })).items
  assert.deepEqual(Object.keys(first?.attributes ?? {}), ['hue'])

  await server.client('somebody').createPost({ content: 'x' })
  lines.length = 0
  await load(again)
  assert.deepEqual(lines, [])
})

test('a database with other people gets no demo', async t => {
  const server = await startServer(t)
  await server.client('ann').createPost({ content: 'x' })
  await loadDemo(server.app, new AbortController().signal, () => {}, SIZE)
  assert.equal((await server.admin.stats()).users, 1)
})
