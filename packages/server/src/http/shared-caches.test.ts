// What lies between the server and its clients keeps nothing of one caller for another.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type TestContext } from 'node:test'
import type { InjectOptions } from 'fastify'
import { asServer, bearer, httpOnly } from '../../../../testkit/http-only.ts'
import { startServer } from '../../../../testkit/server.ts'
import { ERRORS, type ErrorCode, Problem } from '../domain/errors.ts'
import { buildOpenapi } from './openapi.ts'

const EXAMPLES: Record<string, string> = {
  'id of posts': '1000000000000000001',
  'id of dead': '7',
  position: '7'
}

interface Documented {
  paths: Record<string, Record<string, { requestBody?: object }>>
}

/** A request that fits each documented route of the API. */
async function requests(): Promise<InjectOptions[]> {
  const { paths } = JSON.parse(JSON.stringify(await buildOpenapi())) as Documented
  return Object.entries(paths)
    .filter(([path]) => path.startsWith('/v1/'))
    .flatMap(([path, methods]) =>
      Object.keys(methods).map(method => ({
        method: method.toUpperCase() as 'GET',
        url: filled(path),
        ...(methods[method]?.requestBody && { payload: bodyOf(path) })
      }))
    )
}

function filled(path: string): string {
  const [, , root = '', second = ''] = path.split('/')
  const kind = root === 'admin' ? second : root
  const url = path.replace(
    /\{(\w+)\}/g,
    (_, name) => EXAMPLES[`${name} of ${kind}`] ?? EXAMPLES[name] ?? 'ada'
  )
  if (path.endsWith('/explain')) return `${url}?post=1000000000000000001`
  if (path === '/v1/feed/newer') return `${url}?after=1000000000000000001`
  return url
}

function bodyOf(path: string): object {
  return path.startsWith('/v1/posts') ? { content: 'x' } : {}
}

function isPrivate(headers: Record<string, unknown>, name: string): void {
  assert.equal(headers['cache-control'], 'private, no-store', name)
  assert.equal(headers.vary, 'Authorization, Fanwise-User', name)
  assert.equal(headers['set-cookie'], undefined, name)
  assert.equal(headers.etag, undefined, name)
  assert.equal(headers['last-modified'], undefined, name)
}

const callers = { user: await bearer('ada'), server: asServer, nobody: {} }

test('SE-02: no route lets an answer be kept, whoever asks and whatever goes wrong', async t => {
  let code: ErrorCode | null = null
  const answer = () => {
    if (code !== null) throw new Problem(code)
    return new TextEncoder().encode('{"items":[],"nextCursor":null}')
  }
  const { app } = httpOnly(t, { answer })
  const statuses = new Set<number>()
  const all = await requests()
  assert.ok(all.length > 30)
  for (const request of all)
    for (const [caller, headers] of Object.entries(callers)) {
      const codes = caller === 'nobody' ? [null] : [null, ...(Object.keys(ERRORS) as ErrorCode[])]
      for (code of codes) {
        const got = await app.inject({ ...request, headers })
        statuses.add(got.statusCode)
        isPrivate(got.headers, `${caller} ${request.method} ${request.url} ${code} ${got.body}`)
      }
    }
  for (const status of [200, 201, 204, 400, 401, 403, 404, 409, 413, 500, 503])
    assert.ok(statuses.has(status), `no answer was ${status}`)
})

test('SE-02: what is refused before its route is found, or asked with conditions, is not kept either', async t => {
  const { app } = httpOnly(t, { answer: () => ({ items: [], nextCursor: null }) })
  const odd: InjectOptions[] = [
    { url: '/v1/nothing' },
    { method: 'PUT', url: '/v1/feed' },
    { method: 'HEAD', url: '/v1/blocks' },
    { method: 'OPTIONS', url: '/v1/feed' },
    { url: '/v1/users/%zz' },
    { url: '/v1/feed?cursor=a&cursor=b' },
    { url: '/V1/feed' },
    { url: '//v1/feed' },
    { url: '/v1/blocks/' },
    {
      method: 'POST',
      url: '/v1/posts',
      payload: '{',
      headers: { 'content-type': 'application/json' }
    },
    { method: 'POST', url: '/v1/posts', payload: 'x', headers: { 'content-type': 'text/html' } }
  ]
  for (const request of odd)
    for (const who of Object.values(callers)) {
      const got = await app.inject({ ...request, headers: { ...request.headers, ...who } })
      isPrivate(got.headers, `${request.method} ${request.url} ${got.statusCode}`)
    }
  const conditions = { 'if-none-match': '*', 'if-modified-since': new Date().toUTCString() }
  const got = await app.inject({ url: '/v1/blocks', headers: { ...callers.user, ...conditions } })
  assert.equal(got.statusCode, 200)
})

interface Kept {
  readonly status: number
  readonly type: string
  readonly body: string
}

/** Keeps every answer by its address for ten minutes unless it forbids that, as a proxy does that is set to. */
async function sharedCache(t: TestContext, origin: string) {
  const kept = new Map<string, Kept>()
  let hits = 0
  const proxy = createServer(async (request, response) => {
    const { url = '', headers } = request
    let answer = kept.get(url)
    if (answer !== undefined) hits++
    else {
      const given = { ...(headers.authorization && { authorization: headers.authorization }) }
      const got = await fetch(origin + url, { headers: given })
      answer = {
        status: got.status,
        type: got.headers.get('content-type') ?? '',
        body: await got.text()
      }
      const control = got.headers.get('cache-control') ?? ''
      if (!/private|no-store|no-cache|max-age=0/.test(control)) kept.set(url, answer)
    }
    response.writeHead(answer.status, { 'content-type': answer.type }).end(answer.body)
  })
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
  t.after(() => proxy.close())
  const { port } = proxy.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, hits: () => hits }
}

test('SE-02: two readers behind one cache never get the feed of the other', async t => {
  const server = await startServer(t)
  for (const user of ['v', 'w']) await server.client(user).createPost({ content: `of ${user}` })
  const cache = await sharedCache(t, server.url)
  const read = async (path: string, user?: string) => {
    const headers =
      user === undefined ? {} : { authorization: `Bearer ${await server.token(user)}` }
    return (await fetch(cache.url + path, { headers })).text()
  }
  await read('/openapi.json')
  await read('/openapi.json')
  assert.equal(cache.hits(), 1, 'the cache keeps what it may')
  for (let round = 0; round < 50; round++)
    for (const user of ['v', 'w']) {
      const { items } = JSON.parse(await read('/v1/feed', user))
      assert.deepEqual(
        items.map(({ content }: { content: string }) => content),
        [`of ${user}`]
      )
    }
  assert.equal(JSON.parse(await read('/v1/feed')).code, 'unauthenticated')
  assert.equal(JSON.parse(await read('/v1/feed', 'v')).items.length, 1)
  assert.equal(cache.hits(), 1)
})
