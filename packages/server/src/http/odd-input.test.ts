// What odd input does to the whole server: a 4xx, or it comes back as it was sent.
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { startServer, type TestServer } from '../../../../testkit/server.ts'

const CURSORS = [
  ...['', 'x', 'null', 'undefined', '0', '-1', 'NaN', '1e400', 'Infinity', '1000000000000000001'],
  ...["' OR 1=1--", '*3\r\n$3\r\nDEL\r\n', '../../etc/passwd', '%00', '\u0000', '{"last":"1"}'],
  Buffer.from('1.home.1.1.1000000000000000001').toString('base64url'),
  Buffer.alloc(48, 7).toString('base64url'),
  'A'.repeat(10_000)
]

const LISTS = [
  '/v1/feed',
  '/v1/users/ada/posts',
  '/v1/users/ada/followers',
  '/v1/users/ada/following',
  '/v1/blocks',
  '/v1/mutes'
]

const family = '\u{1F468}\u200D\u{1F469}\u200D\u{1F467}\u200D\u{1F466}'
const KEPT = [
  ...[
    '   ',
    '\r\n',
    '\u200D',
    'a\tb',
    '\u202Eright to left',
    'e\u0301',
    '\u{1F600}',
    '\uFFFD',
    '\uFEFF'
  ],
  ...[
    'data: x\n\ndata: y',
    '<script>alert(1)</script>',
    "Robert'); DROP TABLE posts;--",
    '\\u0000'
  ],
  ...['\u2028\u2029', '\u0001\u001F\u007F', family.repeat(280), 'a'.repeat(10_000), '__proto__']
]
const REFUSED = ['a\u0000b', '\u0000', '\uD800', 'a\uDC00', '\uDE00\uD83D', 'a'.repeat(1_000_000)]

/** Keys and texts inside JSON, within the bound of attrs; `__proto__` is refused as a key. */
function attrsOf(content: string): Record<string, string[]> {
  const short = content.length > 1000 ? 'long' : content
  return { [`k${short}`]: [short] }
}

interface Answer {
  status: number
  code: string
  body: string
  ms: number
}

async function ask(
  server: TestServer,
  method: string,
  path: string,
  body?: string
): Promise<Answer> {
  const began = performance.now()
  const response = await fetch(server.url + path, {
    method,
    headers: {
      authorization: `Bearer ${await server.token('ada')}`,
      ...(body !== undefined && { 'content-type': 'application/json' })
    },
    ...(body !== undefined && { body })
  })
  const text = await response.text()
  const ms = performance.now() - began
  const code = response.ok || text === '' ? '' : JSON.parse(text).code
  return { status: response.status, code, body: text, ms }
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const PATHS = [
  ...[
    '/v1/posts',
    '/v1/posts/*',
    '/v1/posts/*/like',
    '/v1/posts/*/hide',
    '/v1/posts/*/delivery',
    '/v1/feed',
    '/v1/feed/newer',
    '/v1/users/*'
  ],
  ...['/v1/users/*/posts', '/v1/users/*/follow', '/v1/users/*/block', '/v1/users/*/mute'],
  ...['/v1/users/*/followers', '/v1/users/*/following', '/v1/blocks', '/v1/mutes', '/v1/batch'],
  ...['/v1/follow-requests', '/v1/follow-requests/*/accept', '/v1/follow-requests/*/reject'],
  ...['/v1/users/ada/followers/*'],
  ...[
    '/v1/admin/users',
    '/v1/admin/settle',
    '/v1/admin/sample',
    '/v1/admin/feeds/*/verify',
    '/v1/admin/feeds/*/repair',
    '/v1/admin/feeds/*/rebuild',
    '/v1/admin/feeds/*/explain'
  ]
]

const part = fc.oneof(
  fc.string({ maxLength: 80, unit: 'binary' }).map(text => encodeURIComponent(text.toWellFormed())),
  fc.constantFrom(
    'ada',
    'bob',
    'nobody',
    '%00',
    '%zz',
    '%ff',
    '.',
    '..',
    '%2e%2e',
    '1',
    '%F0%9F%98%80'
  ),
  fc.constantFrom(
    '0000000000000000000',
    '1000000000000000000',
    '9223372036854775807',
    '9223372036854775808',
    '9999999999999999999',
    '-100000000000000000'
  )
)

const query = fc.oneof(
  fc.constant(''),
  fc
    .tuple(
      fc.constantFrom(
        'limit',
        'cursor',
        'ids',
        'after',
        'before',
        'known',
        'page',
        'snapshot',
        'x',
        '__proto__',
        'limit[]'
      ),
      part
    )
    .map(([name, value]) => `?${name}=${value}`)
)

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom('\u0000', '\uD800')
)
const field = fc.constantFrom(
  'content',
  'attrs',
  'mediaIds',
  'name',
  'avatar',
  'attributes',
  'users',
  'follows',
  'posts',
  'likes',
  'timeoutMs',
  'id',
  '__proto__',
  'constructor'
)
const body = fc.oneof(
  fc.constant(undefined),
  fc.json({ maxDepth: 4 }),
  fc.string({ maxLength: 40 }),
  fc
    .dictionary(field, fc.oneof(text, fc.jsonValue({ maxDepth: 3 })))
    .map(value => JSON.stringify(value)),
  text.map(content => JSON.stringify({ content, attrs: { [content]: content } })),
  text.map(name => JSON.stringify({ name, attributes: { deep: [name] } }))
)

test('AP-01, AP-03: odd input', async t => {
  const server = await startServer(t)
  const { admin, client } = server
  await admin.batch({
    users: [{ id: 'ada' }, { id: 'bob' }],
    follows: [
      { follower: 'bob', followee: 'ada' },
      { follower: 'ada', followee: 'bob' }
    ]
  })
  for (const content of ['1', '2', '3']) await client('ada').createPost({ content })

  await t.test('AP-01: cursors that were not made for the list are refused, quickly', async () => {
    const own = (await client('ada').feed({ limit: 1 })).nextCursor ?? ''
    const changed = [
      own.slice(0, -1),
      `${own}A`,
      own.replace(/^./, c => (c === 'A' ? 'B' : 'A')),
      `${own}=`
    ]
    const times: number[] = []
    for (const list of LISTS)
      for (const cursor of [...CURSORS, ...changed, ...(list === '/v1/feed' ? [] : [own])]) {
        const path = `${list}?cursor=${encodeURIComponent(cursor)}`
        const got = await ask(server, 'GET', path)
        assert.equal(got.code, 'invalid_cursor', `${path.slice(0, 100)} -> ${got.body}`)
        times.push(got.ms)
      }
    const median = times.sort((a, b) => a - b)[times.length >> 1] ?? 0
    assert.ok(median < 20, `${median} ms`)
    assert.equal(
      (await ask(server, 'GET', `/v1/feed?cursor=${own}&cursor=${own}`)).code,
      'invalid_request'
    )
    assert.equal((await ask(server, 'GET', `/v1/feed?cursor=${own}`)).status, 200)
  })

  await t.test(
    'AP-03: text comes back as it was sent, or is refused before anything is written',
    async () => {
      for (const content of KEPT) {
        const { id } = await client('ada')
          .createPost({ content, attrs: attrsOf(content) })
          .catch(error => assert.fail(`${JSON.stringify(content.slice(0, 20))}: ${error}`))
        const read = await client('bob').getPost(id)
        assert.equal(read.content, content)
        assert.deepEqual(read.attrs, attrsOf(content))
      }
      const posts = (await admin.stats()).posts
      for (const content of REFUSED) {
        const code = content.length > 10_000 ? 'invalid_request' : 'invalid_text'
        await assert.rejects(client('ada').createPost({ content }), { code })
        if (content.length > 10_000) continue
        await assert.rejects(client('ada').createPost({ content: 'a', attrs: { x: content } }), {
          code
        })
        await assert.rejects(client('ada').createPost({ content: 'a', attrs: { [content]: 1 } }), {
          code
        })
        await assert.rejects(client('ada').putUser('ada', { name: content }), { code })
      }
      assert.equal((await admin.stats()).posts, posts)
    }
  )

  await t.test(
    'AP-03: what a page shows is what the text was, and no event fails by it',
    async () => {
      assert.ok(await admin.settle())
      assert.equal((await admin.stats()).outboxDead, 0)
      const shown: string[] = []
      for await (const post of client('bob').feed()) shown.push(post.content)
      assert.deepEqual(shown.slice(0, KEPT.length), KEPT.toReversed())
    }
  )

  await t.test('no request makes a 5xx', async () => {
    const request = fc.tuple(
      fc.constantFrom(...METHODS),
      fc.constantFrom(...PATHS),
      part,
      query,
      body
    )
    await fc.assert(
      fc.asyncProperty(request, async ([method, pattern, id, search, given]) => {
        const path = pattern.replace('*', id) + search
        const got = await ask(server, method, path, method === 'GET' ? undefined : given)
        assert.ok(got.status < 500, `${method} ${path} ${given} -> ${got.status} ${got.body}`)
      }),
      { numRuns: 500 }
    )
  })

  await t.test('a batch of odd entries is refused or applied, never a 5xx', async () => {
    const headers = {
      authorization: `Bearer ${server.serverKey}`,
      'content-type': 'application/json'
    }
    const entry = fc.record({
      author: fc.constantFrom('ada', 'bob', 'new'),
      content: text,
      externalId: text
    })
    const entries = fc.record({ posts: fc.array(entry, { maxLength: 5 }) })
    await fc.assert(
      fc.asyncProperty(entries, async batch => {
        const options = { method: 'POST', headers, body: JSON.stringify(batch) }
        const response = await fetch(`${server.url}/v1/batch`, options)
        assert.ok(response.status < 500, await response.text())
      }),
      { numRuns: 100 }
    )
  })
})
