import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import path from 'node:path'
import test from 'node:test'
import type { ErrorCode as SdkErrorCode } from '@fanwise/sdk'
import { bearer, httpOnly } from '../../../../testkit/http-only.ts'
import { ERRORS, type ErrorCode, Problem } from '../domain/errors.ts'

const root = path.resolve(import.meta.dirname, '../../../..')
const codes = Object.keys(ERRORS) as ErrorCode[]

/** Compiles only while both unions are the same. */
const same: [ErrorCode] extends [SdkErrorCode]
  ? [SdkErrorCode] extends [ErrorCode]
    ? true
    : false
  : false = true

test('the SDK, the table of errors and docs/errors.md have the same codes', () => {
  assert.ok(same)
  const api = readFileSync(path.join(root, 'packages/sdk/src/api.ts'), 'utf8')
  const union = /export type ErrorCode =([^\n]*\n(?: {2}\|[^\n]*\n)+)/.exec(api)?.[1] ?? ''
  assert.deepEqual(
    [...union.matchAll(/'(\w+)'/g)].map(([, code]) => code),
    codes
  )
  const docs = readFileSync(path.join(root, 'docs/errors.md'), 'utf8')
  const sections = [...docs.matchAll(/^### `(\w+)` \((\d{3})\)$/gm)]
  assert.deepEqual(
    sections.map(([, code, status]) => `${code} ${status}`).sort(),
    codes.map(code => `${code} ${ERRORS[code][0]}`).sort()
  )
})

for (const code of codes) {
  test(`a problem ${code} is answered as documented`, async t => {
    const answer = () => {
      throw new Problem(code, 'Because.', code === 'method_not_allowed' ? { allow: 'GET' } : {})
    }
    const { app } = httpOnly(t, { answer })
    const got = await app.inject({ url: '/v1/blocks', headers: await bearer('ada') })
    const [status, title] = ERRORS[code]
    assert.equal(got.statusCode, status)
    assert.match(String(got.headers['content-type']), /^application\/problem\+json/)
    assert.equal(got.headers['retry-after'], status === 503 ? '1' : undefined)
    const requestId = got.headers['x-request-id']
    const type = `urn:fanwise:error:${code}`
    assert.deepEqual(got.json(), { type, title, status, code, message: 'Because.', requestId })
  })
}

test('a dependency that failed is 503, and nothing of it gets out', async t => {
  const answer = () => {
    throw Object.assign(new Error('redis://:tulip@10.0.0.1 does not answer'), { code: 'EREDIS' })
  }
  const { app } = httpOnly(t, { answer })
  const got = await app.inject({ url: '/v1/blocks', headers: await bearer('ada') })
  assert.deepEqual([got.statusCode, got.headers['retry-after']], [503, '1'])
  assert.ok(!got.body.includes('tulip'))
})

test('what nobody foresaw is 500, logged with its id, and nothing of it gets out', async t => {
  const answer = () => {
    throw Object.assign(new Error('password=tulip'), { statusCode: 418, code: '23505' })
  }
  const { app, logged } = httpOnly(t, { answer })
  const headers = { ...(await bearer('ada')), 'x-request-id': 'my-id' }
  const got = await app.inject({ url: '/v1/blocks', headers })
  assert.equal(got.statusCode, 500)
  assert.ok(!got.body.includes('tulip'))
  assert.equal(got.headers['x-request-id'], 'my-id')
  assert.equal(logged[0]?.level, 'error')
  assert.equal((logged[0]!.fields as { requestId: string }).requestId, 'my-id')
})

test('an unfit request id is replaced', async t => {
  const { app } = httpOnly(t)
  for (const id of ['', 'a b', 'x'.repeat(129), 'ü'])
    assert.match(
      String(
        (await app.inject({ url: '/livez', headers: { 'x-request-id': id } })).headers[
          'x-request-id'
        ]
      ),
      /^[0-9a-f-]{36}$/
    )
})

test('a wrong address is 404, a wrong method 405 with Allow', async t => {
  const { app } = httpOnly(t)
  const cases = [
    ['GET', '/v1/nothing', 404, undefined],
    ['GET', '/v1', 404, undefined],
    ['GET', '/.env', 404, undefined],
    ['PUT', '/v1/feed', 405, 'GET, HEAD'],
    ['DELETE', '/v1/posts', 405, 'GET, HEAD, POST'],
    ['OPTIONS', '/v1/feed?limit=1', 405, 'GET, HEAD'],
    ['POST', '/v1/posts/1', 405, 'DELETE, GET, HEAD, PATCH'],
    ['POST', '/livez', 405, 'GET, HEAD']
  ] as const
  for (const [method, url, status, allow] of cases) {
    const got = await app.inject({ method, url })
    assert.equal(got.statusCode, status, `${method} ${url}`)
    assert.equal(got.headers.allow, allow, `${method} ${url}`)
    assert.match(String(got.headers['content-type']), /^application\/problem\+json/)
  }
})

/** Sends bytes as they are and gives what comes back until the end. */
function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let got = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text, 'latin1'))
    socket.on('data', bytes => {
      got += bytes
    })
    socket.on('close', () => resolve(got))
    socket.on('error', reject)
  })
}

test('what is not HTTP gets a 4xx', async t => {
  const { app } = httpOnly(t)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const port = (app.server.address() as AddressInfo).port
  const end = 'host: x\r\nconnection: close\r\n\r\n'
  const cases = [
    'GARBAGE\r\n\r\n',
    `GET / HTTP/9.9\r\n${end}`,
    `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n${end}`,
    `GET / HTTP/1.1\r\nx: ${'a'.repeat(20_000)}\r\n${end}`,
    'GET /livez HTTP/1.1\r\nconnection: close\r\n\r\n',
    `GET /v1/users/%zz HTTP/1.1\r\n${end}`,
    `GET /v1/users/%ff HTTP/1.1\r\n${end}`,
    `GET /%00 HTTP/1.1\r\n${end}`,
    `GET /\x80 HTTP/1.1\r\n${end}`,
    `GET /v1/users/${'a'.repeat(5000)} HTTP/1.1\r\n${end}`,
    `PROPFIND /v1/feed HTTP/1.1\r\n${end}`,
    `POST /v1/posts HTTP/1.1\r\ncontent-length: x\r\n${end}`,
    `POST /v1/posts HTTP/1.1\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n${end}`
  ]
  for (const text of cases) {
    const got = await raw(port, text)
    assert.match(got, /^HTTP\/1\.1 4\d\d /, `${text.slice(0, 60)} -> ${got.slice(0, 60)}`)
    assert.match(got, /application\/problem\+json/, `${text.slice(0, 60)} -> ${got}`)
  }
})
