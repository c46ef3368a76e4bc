import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type TestContext } from 'node:test'
import { FanwiseAdmin } from './admin.ts'
import { FanwiseClient } from './client.ts'
import { FanwiseError } from './fanwise-error.ts'

interface Seen {
  method: string | undefined
  url: string | undefined
  headers: IncomingMessage['headers']
  body: string
}

type Answer = (response: ServerResponse, count: number, seen: Seen) => void

/** A server on loopback that answers as told, and what it saw. */
async function server(t: TestContext, answer: Answer): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = []
  const http = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    const { method, url, headers } = request
    seen.push({ method, url, headers, body })
    answer(response, seen.length, { method, url, headers, body })
  })
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    http.closeAllConnections()
    http.close()
  })
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, seen }
}

function send(response: ServerResponse, status: number, body?: unknown, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(body === undefined ? '' : JSON.stringify(body))
}

const busy = { code: 'unavailable', message: 'Busy.', requestId: 'r1', status: 503 }

test('a write is repeated with one key until it is done', async t => {
  const { url, seen } = await server(t, (response, count) => {
    if (count === 1) return void response.destroy()
    if (count === 2) return send(response, 503, busy, { 'retry-after': '0' })
    if (count === 3) return send(response, 429, undefined, { 'retry-after': '0' })
    send(response, 201, { id: '7' })
  })
  const client = new FanwiseClient({ url, token: 'tok' })
  assert.deepEqual(await client.createPost({ content: 'Hi' }), { id: '7' })
  assert.equal(seen.length, 4)
  const keys = new Set(seen.map(({ headers }) => headers['idempotency-key']))
  assert.equal(keys.size, 1)
  assert.match([...keys].join(), /^[0-9a-f]{32}$/)
  assert.deepEqual(seen[3]?.body, '{"content":"Hi"}')
  assert.equal(seen[3]?.headers.authorization, 'Bearer tok')
})

test('each write has a key of its own, unless one is given', async t => {
  const { url, seen } = await server(t, response => send(response, 204))
  const client = new FanwiseClient({ url, token: 'tok' })
  assert.equal(await client.mute('ada'), undefined)
  await client.mute('ada')
  await client.mute('ada', { idempotencyKey: 'mine' })
  const [one, two, three] = seen.map(({ headers }) => headers['idempotency-key'])
  assert.notEqual(one, two)
  assert.equal(three, 'mine')
  assert.equal(seen[0]?.headers['content-type'], undefined)
})

test('a refusal is not repeated, and tells what the server told', async t => {
  const problem = {
    ...{ type: 'urn:fanwise:error:invalid_request', title: 'T', status: 400 },
    ...{ code: 'invalid_request', message: 'No.', requestId: 'r1', errors: ['body/content'] }
  }
  const { url, seen } = await server(t, response => send(response, 400, problem))
  const client = new FanwiseClient({ url, token: 'tok' })
  await assert.rejects(client.createPost({ content: '' }), (error: unknown) => {
    assert.ok(error instanceof FanwiseError)
    const { code, status, message, requestId, errors } = error
    assert.deepEqual(
      { code, status, message, requestId, errors },
      {
        ...{ code: 'invalid_request', status: 400, message: 'No.', requestId: 'r1' },
        errors: ['body/content']
      }
    )
    return true
  })
  assert.equal(seen.length, 1)
})

test('after the last attempt the error is the last one; answers of others are judged by status', async t => {
  const { url, seen } = await server(t, response => {
    response.writeHead(502).end('<html>Bad gateway</html>')
  })
  const client = new FanwiseClient({ url, token: 'tok', retries: 1 })
  await assert.rejects(client.getPost('7'), { code: 'unavailable', status: 502 })
  assert.equal(seen.length, 2)
})

test('a server that cannot be reached, or does not answer, is unavailable', async t => {
  const gone = new FanwiseClient({ url: 'http://127.0.0.1:1', token: 'tok', retries: 0 })
  await assert.rejects(gone.getPost('7'), { code: 'unavailable', status: 0 })
  const { url } = await server(t, () => undefined)
  const slow = new FanwiseClient({ url, token: 'tok', retries: 0, timeoutMs: 20 })
  await assert.rejects(slow.getPost('7'), { code: 'unavailable', message: /in time/ })
})

test('a signal ends a request and a pause, with its own reason', async t => {
  const stop = new AbortController()
  const { url, seen } = await server(t, response => {
    send(response, 503, busy, { 'retry-after': '30' })
    stop.abort(new Error('enough'))
  })
  const client = new FanwiseClient({ url, token: 'tok' })
  await assert.rejects(client.getPost('7', { signal: stop.signal }), /enough/)
  await assert.rejects(client.getPost('7', { signal: stop.signal }), /enough/)
  assert.equal(seen.length, 1)
})

const pages: Record<string, object> = {
  '/v1/feed?limit=2': { items: [1, 2], nextCursor: 'a' },
  '/v1/feed?limit=2&cursor=a': { items: [], nextCursor: 'b', partial: true },
  '/v1/feed?limit=2&cursor=b': { items: [3], nextCursor: null }
}

test('a list is one page when awaited, and all items when iterated', async t => {
  const { url, seen } = await server(t, (response, _, one) =>
    send(response, 200, pages[one.url ?? ''])
  )
  const client = new FanwiseClient({ url, token: 'tok' })
  assert.deepEqual(await client.feed({ limit: 2 }), { items: [1, 2], nextCursor: 'a' })
  assert.equal(seen.length, 1)
  const all: unknown[] = []
  for await (const post of client.feed({ limit: 2 })) all.push(post)
  assert.deepEqual(all, [1, 2, 3])
  assert.equal(seen.length, 4)
  for await (const _ of client.feed({ limit: 2 })) break
  assert.equal(seen.length, 5)
})

test('the token is asked before each request', async t => {
  const { url, seen } = await server(t, response => send(response, 200, {}))
  let count = 0
  const client = new FanwiseClient({
    url: `${url}/`,
    token: async () => {
      count += 1
      return `t${count}`
    }
  })
  await client.getUser('a:b')
  await client.getUser('b')
  assert.deepEqual(
    seen.map(one => [one.url, one.headers.authorization]),
    [
      ['/v1/users/a%3Ab', 'Bearer t1'],
      ['/v1/users/b', 'Bearer t2']
    ]
  )
})

test('an id that an address would forget is refused before it is sent', async t => {
  const { url, seen } = await server(t, response => send(response, 200, {}))
  const client = new FanwiseClient({ url, token: 'tok' })
  for (const id of ['', '.', '..'])
    await assert.rejects(client.deletePost(id), { code: 'invalid_request' })
  assert.equal(seen.length, 0)
})

test('the backend acts for a user with the server key, and waits as long as it says', async t => {
  const { url, seen } = await server(t, response => send(response, 200, { settled: true }))
  const admin = new FanwiseAdmin({ url, serverKey: 'key' })
  await admin.as('ada').createPost({ content: 'Hi' })
  assert.equal(seen[0]?.headers.authorization, 'Bearer key')
  assert.equal(seen[0]?.headers['fanwise-user'], 'ada')
  assert.equal(await admin.settle(1500), true)
  assert.equal(seen[1]?.body, '{"timeoutMs":1500}')
  assert.equal(seen[1]?.headers['fanwise-user'], undefined)
})

test('reads carry what was written before, until the server knows it no more', async t => {
  let secret = 'old'
  const { url, seen } = await server(t, (response, count, { method, headers }) => {
    const carried = headers['fanwise-min-commit']
    if (method !== 'GET')
      return send(response, 204, undefined, { 'fanwise-commit': `${secret}${count}` })
    if (secret === 'new' && String(carried).includes('old'))
      return send(response, 400, { code: 'invalid_commit', message: 'No.', requestId: 'r1' })
    send(response, 200, { items: [], nextCursor: null })
  })
  const client = new FanwiseClient({ url, token: 'tok', commit: 'given' })
  const carried = () => seen.at(-1)?.headers['fanwise-min-commit']
  await client.follow('ada')
  assert.equal(carried(), undefined, 'a write carries nothing')
  await client.hide('7')
  await client.feed()
  assert.equal(carried(), 'given,old1,old2')
  assert.equal(client.commit, 'given,old1,old2')
  for (let n = 0; n < 20; n++) await client.hide('7')
  await client.newer({ after: '7' })
  assert.equal(String(carried()).split(',').length, 16)
  secret = 'new'
  await client.getPost('7')
  assert.equal(carried(), undefined)
  assert.equal(client.commit, null)
  await client.hide('7')
  await client.getPost('7')
  assert.match(String(carried()), /^new\d+$/)
})

test('a commit is forgotten after five minutes', async t => {
  t.mock.timers.enable({ apis: ['Date'] })
  const { url, seen } = await server(t, response => send(response, 200, { items: [] }))
  const client = new FanwiseClient({ url, token: 'tok', commit: 'given' })
  await client.getPost('7')
  t.mock.timers.tick(300_001)
  await client.getPost('7')
  assert.deepEqual(
    seen.map(({ headers }) => headers['fanwise-min-commit']),
    ['given', undefined]
  )
})

test('bounds go out once: a cursor holds them, but not what the client knows', async t => {
  const { url, seen } = await server(t, (response, count) =>
    send(response, 200, { items: [{ id: String(count) }], nextCursor: count < 2 ? 'c1' : null })
  )
  const client = new FanwiseClient({ url, token: 'tok' })
  const ids: string[] = []
  for await (const { id } of client.feed({ after: '5', limit: 2, known: ['4', '5'] })) ids.push(id)
  assert.deepEqual(ids, ['1', '2'])
  assert.deepEqual(
    seen.map(one => one.url),
    ['/v1/feed?limit=2&after=5&known=4%2C5', '/v1/feed?limit=2&cursor=c1&known=4%2C5']
  )
})
