import assert from 'node:assert/strict'
import test from 'node:test'
import type { InjectOptions } from 'fastify'
import { asServer, bearer, httpOnly } from '../../../../testkit/http-only.ts'

const ID = '1000000000000000001'

/** Whether each request is refused with a code and a word of the message, before the backend is asked. */
const refused: readonly [string, InjectOptions, string, RegExp][] = [
  ['no body', { url: '/v1/posts' }, 'invalid_request', /^body must be object/],
  ['no content', { payload: {} }, 'invalid_request', /content/],
  [
    'content a number',
    { payload: { content: 5 } },
    'invalid_request',
    /^body\/content must be string/
  ],
  ['content empty', { payload: { content: '' } }, 'invalid_request', /content/],
  ['content null', { payload: { content: null } }, 'invalid_request', /content/],
  ['10,001 units', { payload: { content: 'a'.repeat(10_001) } }, 'invalid_request', /10000/],
  ['5,001 pairs', { payload: { content: '\u{1F600}'.repeat(5001) } }, 'invalid_request', /10000/],
  [
    'an unknown field',
    { payload: { content: 'a', authorId: 'bob' } },
    'invalid_request',
    /"authorId"; known are content, attrs, mediaIds/
  ],
  [
    'attrs a list',
    { payload: { content: 'a', attrs: [] } },
    'invalid_request',
    /attrs must be object/
  ],
  ['a body that is a list', { payload: [] }, 'invalid_request', /^body must be object/],
  ['a body that is text', { payload: '"a"' }, 'invalid_request', /^body must be object/],
  ['bad JSON', { payload: '{"content":' }, 'invalid_json', /JSON/],
  ['not UTF-8', { payload: Buffer.from([0x22, 0xff, 0x22]) }, 'invalid_json', /UTF-8/],
  ['__proto__', { payload: '{"content":"a","__proto__":{"x":1}}' }, 'invalid_request', /__proto__/],
  [
    '__proto__ inside',
    { payload: '{"content":"a","attrs":{"__proto__":1}}' },
    'invalid_request',
    /__proto__/
  ],
  [
    'too large a number',
    { payload: '{"content":"a","attrs":{"x":1e400}}' },
    'invalid_request',
    /number/
  ],
  [
    'nested deeply',
    { payload: `{"content":"a","attrs":{"x":${'['.repeat(50_000)}${']'.repeat(50_000)}}}` },
    'invalid_request',
    /nested/
  ],
  [
    'text',
    { payload: 'a', headers: { 'content-type': 'text/plain' } },
    'unsupported_media_type',
    /./
  ],
  [
    'a form',
    { payload: 'a=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    'unsupported_media_type',
    /./
  ],
  ['over 2 MiB', { payload: { content: 'a'.repeat(3 * 1024 * 1024) } }, 'payload_too_large', /./],
  ['1 MB of text', { payload: { content: 'a'.repeat(1_000_000) } }, 'invalid_request', /10000/],
  [
    'an unknown query',
    { url: '/v1/posts?x=1', payload: { content: 'a' } },
    'invalid_request',
    /"x"/
  ],
  [
    'a key of 256',
    { payload: { content: 'a' }, headers: { 'idempotency-key': 'k'.repeat(256) } },
    'invalid_idempotency_key',
    /./
  ],
  [
    'an empty key',
    { payload: { content: 'a' }, headers: { 'idempotency-key': '' } },
    'invalid_idempotency_key',
    /./
  ],
  [
    'a key with a space',
    { payload: { content: 'a' }, headers: { 'idempotency-key': 'a b' } },
    'invalid_idempotency_key',
    /./
  ],
  [
    'limit 0',
    { method: 'GET', url: '/v1/feed?limit=0' },
    'invalid_request',
    /query\/limit must be >= 1/
  ],
  [
    'limit 101',
    { method: 'GET', url: '/v1/feed?limit=101' },
    'invalid_request',
    /query\/limit must be <= 100/
  ],
  ['limit -1', { method: 'GET', url: '/v1/feed?limit=-1' }, 'invalid_request', /limit/],
  ['limit 1.5', { method: 'GET', url: '/v1/feed?limit=1.5' }, 'invalid_request', /limit/],
  ['limit 1e1', { method: 'GET', url: '/v1/feed?limit=1e1' }, 'invalid_request', /limit/],
  ['limit 0x10', { method: 'GET', url: '/v1/feed?limit=0x10' }, 'invalid_request', /limit/],
  ['limit empty', { method: 'GET', url: '/v1/feed?limit=' }, 'invalid_request', /limit/],
  ['limit NaN', { method: 'GET', url: '/v1/feed?limit=NaN' }, 'invalid_request', /limit/],
  ['limit twice', { method: 'GET', url: '/v1/feed?limit=1&limit=2' }, 'invalid_request', /limit/],
  [
    'cursor twice',
    { method: 'GET', url: '/v1/feed?cursor=a&cursor=b' },
    'invalid_request',
    /cursor must be string/
  ],
  [
    'an unknown parameter',
    { method: 'GET', url: '/v1/feed?offset=2' },
    'invalid_request',
    /"offset"; known are limit, cursor/
  ],
  [
    '__proto__ in the query',
    { method: 'GET', url: '/v1/feed?__proto__=2' },
    'invalid_request',
    /__proto__/
  ],
  [
    'an id of 18 digits',
    { method: 'GET', url: `/v1/posts/${ID.slice(1)}` },
    'invalid_request',
    /params\/id/
  ],
  ['an id of letters', { method: 'GET', url: '/v1/posts/latest' }, 'invalid_request', /params\/id/],
  [
    'an id with a line end',
    { method: 'GET', url: `/v1/posts/${ID}%0A` },
    'invalid_request',
    /params\/id/
  ],
  [
    'an impossible id',
    { method: 'GET', url: '/v1/posts/9999999999999999999' },
    'post_not_found',
    /./
  ],
  ['a user of 65', { method: 'GET', url: `/v1/users/${'a'.repeat(65)}` }, 'invalid_request', /./],
  ['a user of 500', { method: 'GET', url: `/v1/users/${'a'.repeat(500)}` }, 'invalid_request', /./],
  [
    'a user with a slash',
    { method: 'GET', url: '/v1/users/a%2Fb' },
    'invalid_request',
    /params\/id/
  ],
  ['a user with NUL', { method: 'GET', url: '/v1/users/a%00' }, 'invalid_request', /params\/id/],
  [
    'a body where none is',
    { url: '/v1/users/bob/follow', payload: { x: 1 } },
    'invalid_request',
    /no body/
  ],
  [
    'a name as number',
    { method: 'PUT', url: '/v1/users/ada', payload: { name: 5 } },
    'invalid_request',
    /must be string or null/
  ],
  [
    'an id in a profile',
    { method: 'PUT', url: '/v1/users/ada', payload: { id: 'bob' } },
    'invalid_request',
    /"id"/
  ],
  [
    'an empty change',
    { method: 'PATCH', url: `/v1/posts/${ID}`, payload: {} },
    'invalid_request',
    /./
  ],
  [
    'counts in a change',
    { method: 'PATCH', url: `/v1/posts/${ID}`, payload: { counts: {} } },
    'invalid_request',
    /"counts"/
  ]
]

for (const [name, request, code, message] of refused) {
  test(`refused: ${name}`, async t => {
    const { app, calls } = httpOnly(t)
    const headers = {
      ...(await bearer('ada')),
      'content-type': 'application/json',
      ...request.headers
    }
    if (request.payload === undefined) Reflect.deleteProperty(headers, 'content-type')
    const got = await app.inject({ method: 'POST', url: '/v1/posts', ...request, headers })
    assert.equal(got.json().code, code, got.body.slice(0, 300))
    assert.match(got.json().message, message)
    assert.ok(got.body.length < 2000, `${got.body.length} bytes`)
    assert.deepEqual(calls, [])
  })
}

const one = { author: 'ada', content: 'a' }

const refusedBatches: readonly [string, object, RegExp][] = [
  ['1,001 posts', { posts: Array(1001).fill(one) }, /posts/],
  ['a bad time', { posts: [{ ...one, createdAt: '2026-02-30T00:00:00Z' }] }, /createdAt/],
  ['a day without time', { posts: [{ ...one, createdAt: '2026-02-20' }] }, /createdAt/],
  ['an unknown kind', { blocks: [] }, /"blocks"/],
  [
    'an unknown field inside',
    { users: [{ id: 'ada', createdAt: '2026-02-20T00:00:00Z' }] },
    /"createdAt"/
  ]
]

for (const [name, payload, message] of refusedBatches) {
  test(`refused in a batch: ${name}`, async t => {
    const { app, calls } = httpOnly(t)
    const got = await app.inject({ method: 'POST', url: '/v1/batch', headers: asServer, payload })
    assert.equal(got.statusCode, 400)
    assert.match(got.json().message, message)
    assert.deepEqual(calls, [])
  })
}

test('content of 10,000 UTF-16 units passes, however it is written', async t => {
  const { app, calls } = httpOnly(t, { answer: () => ({ id: ID }) })
  const family = '\u{1F468}‍\u{1F469}‍\u{1F467}'
  const texts = [
    'a'.repeat(10_000),
    '\u{1F600}'.repeat(5000),
    family.repeat(280),
    '\r\n',
    '   ',
    'שלום'
  ]
  for (const content of texts) {
    const request = { url: '/v1/posts', headers: await bearer('ada'), payload: { content } }
    assert.equal((await app.inject({ method: 'POST', ...request })).statusCode, 201)
    assert.deepEqual(calls.at(-1)?.args[0], { content })
  }
})

test('a post is answered with 201, its place, and the key goes on', async t => {
  const { app, calls } = httpOnly(t, { answer: () => ({ id: ID }) })
  const headers = { ...(await bearer('ada')), 'idempotency-key': 'k1' }
  const got = await app.inject({
    method: 'POST',
    url: '/v1/posts',
    headers,
    payload: { content: 'a' }
  })
  assert.equal(got.statusCode, 201)
  assert.equal(got.headers.location, `/v1/posts/${ID}`)
  assert.deepEqual(calls, [
    { user: 'ada', method: 'createPost', args: [{ content: 'a' }, { idempotencyKey: 'k1' }] }
  ])
})

test('relations answer 204, with and without an empty body', async t => {
  const { app, calls } = httpOnly(t)
  const auth = await bearer('ada')
  for (const request of [{}, { payload: '{}' }, { payload: '' }]) {
    const headers = { ...auth, ...('payload' in request && { 'content-type': 'application/json' }) }
    const got = await app.inject({
      method: 'DELETE',
      url: '/v1/users/bob/mute',
      headers,
      ...request
    })
    assert.equal(got.statusCode, 204, got.body)
    assert.equal(got.body, '')
  }
  assert.deepEqual(calls[0], { user: 'ada', method: 'unmute', args: ['bob', {}] })
})

test('a page of the feed is sent as it is, with the address of the next', async t => {
  const page =
    ' {"items":[{"attrs":{"nextCursor":"evil"},"content":"]\\"nextCursor\\":\\"x\\""}],"nextCursor":"abc_-1"}'
  const { app, calls } = httpOnly(t, { answer: () => new TextEncoder().encode(page) })
  const got = await app.inject({ url: '/v1/feed?limit=7', headers: await bearer('ada') })
  assert.equal(got.body, page)
  assert.equal(got.headers['content-type'], 'application/json; charset=utf-8')
  assert.equal(got.headers.link, '</v1/feed?limit=7&cursor=abc_-1>; rel="next"')
  assert.deepEqual(calls[0]?.args, [{ limit: 7 }])
})

test('the last page has no link', async t => {
  const page = '{"items":[{"attrs":{"nextCursor":"evil"}}],"nextCursor":null}'
  const { app } = httpOnly(t, { answer: () => new TextEncoder().encode(page) })
  const got = await app.inject({ url: '/v1/feed', headers: await bearer('ada') })
  assert.equal(got.headers.link, undefined)
})
