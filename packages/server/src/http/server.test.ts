import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import test from 'node:test'
import { asServer, bearer, httpOnly } from '../../../../testkit/http-only.ts'

const page = { items: [], nextCursor: null }
const pageFolder = path.resolve(import.meta.dirname, '../../../console/src')

test('answers for one caller are never shared, whatever their status', async t => {
  const { app } = httpOnly(t, { answer: () => page })
  const auth = await bearer('ada')
  const cases = [
    ['/v1/blocks', auth, 200],
    ['/v1/blocks?limit=0', auth, 400],
    ['/v1/blocks', {}, 401],
    ['/v1/blocks', asServer, 403],
    ['/v1/nothing', auth, 404],
    ['/v1/batch', auth, 405],
    ['/v1/users/%zz', auth, 400]
  ] as const
  for (const [url, headers, status] of cases) {
    const got = await app.inject({ url, headers })
    assert.equal(got.statusCode, status)
    assert.equal(got.headers['cache-control'], 'private, no-store', `${status}`)
    assert.equal(got.headers.vary, 'Authorization, Fanwise-User', `${status}`)
    assert.equal(got.headers['x-content-type-options'], 'nosniff', `${status}`)
    assert.ok(got.headers['x-request-id'], `${status}`)
  }
})

test('other origins are let in only by the list', async t => {
  const corsOrigins = ['https://app.example.com']
  const { app } = httpOnly(t, { corsOrigins, answer: () => page })
  const ask = (origin: string, method: 'GET' | 'OPTIONS', auth: object) =>
    app.inject({ method, url: '/v1/blocks', headers: { ...auth, origin } })
  const preflight = await ask('https://app.example.com', 'OPTIONS', {})
  assert.equal(preflight.statusCode, 204)
  assert.match(String(preflight.headers['access-control-allow-headers']), /Idempotency-Key/)
  const listed = await ask('https://app.example.com', 'GET', await bearer('ada'))
  assert.equal(listed.headers['access-control-allow-origin'], 'https://app.example.com')
  assert.match(String(listed.headers.vary), /Authorization.*Origin/)
  assert.equal(
    (await ask('https://app.example.com', 'GET', {})).headers['access-control-allow-origin'],
    'https://app.example.com'
  )
  for (const origin of ['https://evil.example.com', 'https://app.example.com.evil.com', 'null']) {
    const got = await ask(origin, 'GET', await bearer('ada'))
    assert.equal(got.headers['access-control-allow-origin'], undefined)
    assert.equal((await ask(origin, 'OPTIONS', {})).statusCode, 405)
  }
  const off = httpOnly(t)
  const got = await off.app.inject({
    url: '/livez',
    headers: { origin: 'https://app.example.com' }
  })
  assert.equal(got.headers['access-control-allow-origin'], undefined)
})

test('readiness lists each dependency, and is 503 while one is down', async t => {
  const { app } = httpOnly(t)
  assert.deepEqual((await app.inject('/readyz')).json(), {
    status: 'ok',
    dependencies: { store: 'ok' }
  })
  const states = [
    async () => ({ store: 'timeout', feeds: 'ok' }),
    () => Promise.reject(new Error('x'))
  ]
  for (const health of states) {
    const backend = { health, admin: {} } as never
    const down = await httpOnly(t, { backend }).app.inject('/readyz')
    assert.equal(down.statusCode, 503)
    assert.equal(down.headers['retry-after'], '1')
    assert.equal(down.json().status, 'unavailable')
  }
})

test('operations and documentation are served', async t => {
  const { app } = httpOnly(t)
  assert.equal((await app.inject('/livez')).json().status, 'ok')
  assert.equal((await app.inject('/metrics')).body, 'up 1\n')
  assert.equal((await app.inject('/openapi.json')).json().openapi, '3.1.0')
  const docs = await app.inject({ url: '/docs', headers: { accept: 'text/html' } })
  assert.ok([200, 302].includes(docs.statusCode), `${docs.statusCode}`)
  const page = await app.inject('/docs/')
  assert.equal(page.statusCode, 200)
  assert.match(String(page.headers['content-security-policy']), /^default-src 'none'/)
  assert.match(page.body, /Fanwise API/)
})

test('requests are measured by route, never by address', async t => {
  const { app, observed } = httpOnly(t, { answer: () => page })
  await app.inject({ url: '/v1/users/ada/followers', headers: await bearer('ada') })
  await app.inject('/v1/nothing/7')
  const labels = observed.map(({ name, labels: one }) => [name, one])
  assert.deepEqual(labels, [
    ['http_request_duration', { method: 'GET', route: '/v1/users/:id/followers', status: '2xx' }],
    ['http_request_duration', { method: 'GET', route: 'none', status: '4xx' }]
  ])
})

test('on close, what is under way is finished and connections end', async t => {
  const gate = Promise.withResolvers<typeof page>()
  const { app, calls } = httpOnly(t, { answer: () => gate.promise })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const agent = new Agent({ keepAlive: true })
  t.after(() => agent.destroy())
  const answered = Promise.withResolvers<{ status: number | undefined; connection: unknown }>()
  const asked = Promise.withResolvers<void>()
  app.server.on('request', () => asked.resolve())
  request({ port, agent, path: '/v1/blocks', headers: await bearer('ada') }, response => {
    response.resume()
    answered.resolve({ status: response.statusCode, connection: response.headers.connection })
  }).end()
  await asked.promise
  const closed = app.close()
  gate.resolve(page)
  assert.deepEqual(await answered.promise, { status: 200, connection: 'close' })
  await closed
  assert.equal(calls.length, 1)
})

test('development: tokens and people for this machine alone', async t => {
  const { app, calls } = httpOnly(t, { dev: { pageFolder }, answer: () => page })
  const headers = { host: 'localhost:4100' }
  const token = await app.inject({
    method: 'POST',
    url: '/dev/token',
    headers,
    payload: { user: 'ada' }
  })
  const auth = { authorization: `Bearer ${token.json().token}` }
  assert.equal((await app.inject({ url: '/v1/blocks', headers: auth })).statusCode, 200)
  assert.equal(calls.at(-1)?.user, 'ada')
  assert.equal((await app.inject({ url: '/dev/people', headers })).statusCode, 200)
  const own = { ...headers, origin: 'http://localhost:4100', 'sec-fetch-site': 'same-origin' }
  const again = {
    method: 'POST',
    url: '/dev/token',
    headers: own,
    payload: { user: 'ada' }
  } as const
  assert.equal((await app.inject(again)).statusCode, 200)
  const strangers = [
    { headers: { host: 'evil.example.com' } },
    { headers: { host: 'localhost.evil.com' } },
    { headers, remoteAddress: '10.0.0.7' },
    { headers: { ...headers, origin: 'http://evil.example.com' } },
    { headers: { ...headers, origin: 'http://localhost:4101' } },
    { headers: { ...headers, origin: 'null' } },
    { headers: { ...headers, 'sec-fetch-site': 'cross-site' } },
    { headers: { ...headers, 'sec-fetch-site': 'same-site' } }
  ]
  for (const stranger of strangers) {
    const payload = { user: 'ada' }
    const got = await app.inject({ method: 'POST', url: '/dev/token', payload, ...stranger })
    assert.equal(got.statusCode, 403)
    assert.equal((await app.inject({ url: '/dev/people', ...stranger })).statusCode, 403)
  }
})

test('development: the page is served with a strict policy, and nothing else of its folder', async t => {
  const { app } = httpOnly(t, { dev: { pageFolder } })
  const got = await app.inject('/')
  assert.equal(got.statusCode, 200)
  assert.match(String(got.headers['content-type']), /^text\/html/)
  assert.match(
    String(got.headers['content-security-policy']),
    /default-src 'none'; script-src 'self'/
  )
  for (const url of [
    '/../package.json',
    '/%2e%2e/package.json',
    '/package.json',
    '/index.html.bak'
  ])
    assert.equal((await app.inject(url)).statusCode, 404, url)
})

test('production has no routes for development', async t => {
  assert.throws(() => httpOnly(t, { production: true, dev: { pageFolder } }), /production/)
  const { app } = httpOnly(t, { production: true })
  assert.equal(
    (await app.inject({ method: 'POST', url: '/dev/token', payload: {} })).statusCode,
    404
  )
  assert.equal((await app.inject('/')).statusCode, 404)
})
