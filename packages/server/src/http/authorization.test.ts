// Who may do what: every route for every kind of caller, on the whole server.
import assert from 'node:assert/strict'
import test from 'node:test'
import { openapiCheck } from '../../../../testkit/openapi-check.ts'
import { startServer, type TestServer } from '../../../../testkit/server.ts'
import { buildOpenapi } from './openapi.ts'

const CALLERS = ['anonymous', 'server', 'blocked', 'other', 'acting', 'owner'] as const
type CallerName = (typeof CALLERS)[number]

/** A status, or with a code where two refusals share one. */
type Expected = number | `${number} ${string}`
type Expectation = Record<CallerName, Expected>
type Row = readonly [string, string, object | undefined, Expectation]

const user = { anonymous: 401, server: '403 forbidden' } as const
const every = (status: Expected): Expectation => ({
  ...{ ...user, blocked: status, other: status, acting: status, owner: status }
})
const keyNeeded = '403 server_key_required'
const admin = (status: number): Expectation => ({
  ...{ anonymous: 401, server: status, acting: status },
  ...{ blocked: keyNeeded, other: keyNeeded, owner: keyNeeded }
})

/** `{post}` is a fresh post of the owner; `acting` is the server key for `other`; the owner blocks `blocked`. */
const ROWS: readonly Row[] = [
  ['POST', '/v1/posts', { content: 'Hi' }, every(201)],
  ['GET', '/v1/posts?ids={post}', undefined, every(200)],
  ['GET', '/v1/posts/{post}', undefined, { ...every(200), blocked: '404 post_not_found' }],
  [
    ...(['PATCH', '/v1/posts/{post}'] as const),
    { content: 'Changed' },
    {
      ...{ ...user, blocked: '404 post_not_found', other: '403 not_author' },
      ...{ acting: '403 not_author', owner: 200 }
    }
  ],
  [
    ...(['DELETE', '/v1/posts/{post}'] as const),
    undefined,
    {
      ...{ ...user, blocked: '404 post_not_found', other: '403 not_author' },
      ...{ acting: '403 not_author', owner: 204 }
    }
  ],
  [
    ...(['GET', '/v1/posts/{post}/delivery'] as const),
    undefined,
    {
      ...{ anonymous: 401, server: 200, blocked: '404 post_not_found', other: '403 not_author' },
      ...{ acting: '403 not_author', owner: 200 }
    }
  ],
  ['POST', '/v1/posts/{post}/like', undefined, { ...every(204), blocked: '404 post_not_found' }],
  ['POST', '/v1/posts/{post}/hide', undefined, { ...every(204), blocked: '404 post_not_found' }],
  ['DELETE', '/v1/posts/{post}/like', undefined, { ...every(204), blocked: 204 }],
  ['DELETE', '/v1/posts/{post}/hide', undefined, { ...every(204), blocked: 204 }],
  ['GET', '/v1/feed', undefined, every(200)],
  ['GET', `/v1/feed/newer?after=${'1'.repeat(19)}`, undefined, every(200)],
  ['GET', '/v1/blocks', undefined, every(200)],
  ['GET', '/v1/mutes', undefined, every(200)],
  ['GET', '/v1/follow-requests', undefined, every(200)],
  [
    ...(['POST', '/v1/follow-requests/other/accept'] as const),
    undefined,
    {
      ...every('404 request_not_found'),
      ...{ other: '400 self_relation', acting: '400 self_relation' }
    }
  ],
  [...(['POST', '/v1/follow-requests/other/reject'] as const), undefined, every(204)],
  [
    ...(['DELETE', '/v1/users/owner/followers/other'] as const),
    undefined,
    { ...every('403 forbidden'), owner: 204 }
  ],
  [
    'GET',
    '/v1/users/owner',
    undefined,
    { ...every(200), server: 200, blocked: '404 user_not_found' }
  ],
  ['GET', '/v1/users/owner/posts', undefined, { ...every(200), blocked: '404 user_not_found' }],
  ['GET', '/v1/users/owner/followers', undefined, { ...every(200), blocked: '404 user_not_found' }],
  ['GET', '/v1/users/owner/following', undefined, { ...every(200), blocked: '404 user_not_found' }],
  [
    ...(['PUT', '/v1/users/owner'] as const),
    { name: 'Owner' },
    {
      ...{ anonymous: 401, server: 200, blocked: '403 forbidden', other: '403 forbidden' },
      ...{ acting: '403 forbidden', owner: 200 }
    }
  ],
  [
    ...(['POST', '/v1/users/owner/follow'] as const),
    undefined,
    { ...every(200), blocked: '403 blocked', owner: '400 self_relation' }
  ],
  ['DELETE', '/v1/users/owner/follow', undefined, every(204)],
  ['POST', '/v1/users/owner/mute', undefined, { ...every(204), owner: '400 self_relation' }],
  ['DELETE', '/v1/users/owner/mute', undefined, every(204)],
  [...(['POST', '/v1/users/quiet/block'] as const), undefined, { ...every(204), acting: 204 }],
  ['DELETE', '/v1/users/quiet/block', undefined, every(204)],
  ['POST', '/v1/batch', { users: [{ id: 'owner' }] }, admin(200)],
  ['GET', '/v1/admin/users', undefined, admin(200)],
  ['GET', '/v1/admin/stats', undefined, admin(200)],
  ['POST', '/v1/admin/settle', { timeoutMs: 0 }, admin(200)],
  ['GET', '/v1/admin/feeds/owner/verify', undefined, admin(200)],
  ['GET', '/v1/admin/feeds/owner/verify?only=warm', undefined, admin(200)],
  ['POST', '/v1/admin/feeds/owner/repair', undefined, admin(200)],
  ['GET', '/v1/admin/sample', undefined, admin(200)],
  ['POST', '/v1/admin/feeds/owner/rebuild', undefined, admin(200)],
  ['GET', '/v1/admin/feeds/owner/explain?post={post}', undefined, admin(200)],
  ['GET', '/v1/admin/dead', undefined, admin(200)],
  ['POST', '/v1/admin/dead/7/retry', undefined, admin(404)],
  ['DELETE', '/v1/admin/dead/7', undefined, admin(404)],
  ['GET', '/v1/admin/dead-records', undefined, admin(200)],
  ['DELETE', '/v1/admin/dead-records/7', undefined, admin(204)],
  ['POST', '/v1/admin/users/victim/suspend', undefined, admin(204)],
  ['POST', '/v1/admin/users/victim/unsuspend', undefined, admin(204)]
]

/** The last of all: the accounts are gone after it. */
const LEAVING: Row = [...(['DELETE', '/v1/users/me'] as const), undefined, every(204)]

const IDS = {
  id: '1000000000000000001',
  authorId: 'owner',
  author: 'owner',
  userId: 'owner',
  user: 'owner',
  createdAt: '2020-01-01T00:00:00.000Z',
  likeCount: 7,
  counts: { likes: 7 },
  viewer: { liked: true }
}

const documented = await openapiCheck()

/** Whether the path of a row is one of the documented ones. */
function isOf(pattern: string, [, path]: Row): boolean {
  const [bare = ''] = path.split('?')
  return new RegExp(`^${pattern.replace(/\{\w+\}/g, '[^/]+')}$`).test(bare)
}

async function headersOf(server: TestServer, caller: CallerName): Promise<Record<string, string>> {
  const key = `Bearer ${server.serverKey}`
  if (caller === 'anonymous') return {}
  if (caller === 'server') return { authorization: key }
  if (caller === 'acting') return { authorization: key, 'fanwise-user': 'other' }
  return { authorization: `Bearer ${await server.token(caller)}` }
}

async function outcome(server: TestServer, caller: CallerName, row: Row): Promise<Expected> {
  const [method, path, body] = row
  const post = path.includes('{post}')
    ? (await server.client('owner').createPost({ content: 'Own' })).id
    : ''
  const url = path.replace('{post}', post)
  const response = await fetch(server.url + url, {
    method,
    headers: {
      ...(await headersOf(server, caller)),
      ...(body && { 'content-type': 'application/json' })
    },
    ...(body && { body: JSON.stringify(body) })
  })
  const text = await response.text()
  documented(method, url, response.status, text)
  assert.equal(response.headers.get('cache-control'), 'private, no-store')
  assert.match(response.headers.get('vary') ?? '', /Authorization/)
  if (response.ok) return response.status
  return `${response.status} ${JSON.parse(text).code}`
}

async function check(server: TestServer, row: Row): Promise<void> {
  for (const caller of CALLERS) {
    const got = await outcome(server, caller, row)
    const expected = row[3][caller]
    const fits =
      typeof expected === 'number' ? parseInt(String(got), 10) === expected : got === expected
    assert.ok(fits, `${caller}: ${got}, not ${expected}`)
  }
}

test('SE-01: every documented route has a row for every caller', async () => {
  const { paths } = JSON.parse(JSON.stringify(await buildOpenapi())) as {
    paths: Record<string, Record<string, unknown>>
  }
  const routes = Object.entries(paths).filter(([path]) => path.startsWith('/v1/'))
  assert.ok(routes.length > 20)
  for (const [path, methods] of routes)
    for (const method of Object.keys(methods))
      assert.ok(
        [...ROWS, LEAVING].some(row => row[0] === method.toUpperCase() && isOf(path, row)),
        `${method} ${path}`
      )
})

test('SE-01: who may do what, by the token alone', async t => {
  const server = await startServer(t)
  const { admin, client } = server
  await admin.batch({ users: ['owner', 'other', 'blocked', 'victim', 'quiet'].map(id => ({ id })) })
  await client('owner').block('blocked')

  for (const row of ROWS) await t.test(`${row[0]} ${row[1]}`, () => check(server, row))

  await t.test("a cursor is its reader's alone", async () => {
    for (let count = 0; count < 3; count += 1) await client('owner').createPost({ content: 'More' })
    await client('other').follow('owner')
    const { nextCursor } = await client('owner').feed({ limit: 1 })
    assert.ok(nextCursor)
    await assert.rejects(client('other').feed({ cursor: nextCursor }), { code: 'invalid_cursor' })
    await assert.rejects(client('owner').userPosts('owner', { cursor: nextCursor }), {
      code: 'invalid_cursor'
    })
  })

  await t.test('a body names nobody else, no time and no count', async () => {
    const { id } = await client('other').createPost({ content: 'Own' })
    const targets = [
      ['POST', '/v1/posts', { content: 'x' }],
      ['PATCH', `/v1/posts/${id}`, { content: 'x' }],
      ['PUT', '/v1/users/other', { name: 'x' }],
      ['POST', '/v1/users/owner/follow', {}],
      ['POST', `/v1/posts/${id}/like`, {}]
    ] as const
    const token = await server.token('other')
    for (const [method, path, fits] of targets)
      for (const [field, value] of Object.entries(IDS)) {
        const response = await fetch(server.url + path, {
          method,
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ ...fits, [field]: value })
        })
        assert.equal(response.status, 400, `${method} ${path} with ${field}`)
        assert.equal(JSON.parse(await response.text()).code, 'invalid_request')
      }
    const after = await client('other').getPost(id)
    assert.deepEqual([after.content, after.counts.likes, after.editedAt], ['Own', 0, null])
  })

  await t.test('a query names nobody either', async () => {
    const headers = { authorization: `Bearer ${await server.token('other')}` }
    for (const path of ['/v1/feed', '/v1/blocks', '/v1/mutes', '/v1/follow-requests'])
      for (const field of ['user', 'userId', 'reader', 'access_token', 'fanwise-user']) {
        const response = await fetch(`${server.url}${path}?${field}=owner`, { headers })
        assert.equal(response.status, 400, `${path} with ${field}`)
        await response.text()
      }
  })

  await t.test('who leaves or is suspended can do nothing more', async () => {
    await client('victim').createPost({ content: 'Before' })
    await admin.suspend('victim')
    await assert.rejects(client('victim').createPost({ content: 'x' }), {
      code: 'account_suspended'
    })
    await assert.rejects(client('other').getUser('victim'), { code: 'user_not_found' })
    await admin.unsuspend('victim')
    await client('victim').deleteMe()
    await client('victim').deleteMe()
    await assert.rejects(client('victim').createPost({ content: 'x' }), { code: 'account_gone' })
    await assert.rejects(client('victim').putUser('victim', {}), { code: 'account_gone' })
    await assert.rejects(client('victim').feed(), { code: 'account_gone' })
    await assert.rejects(client('other').getUser('victim'), { code: 'user_not_found' })
  })

  await t.test('DELETE /v1/users/me', () => check(server, LEAVING))
})
