// Every parameter that goes on from somewhere, with what was not made for it.
import assert from 'node:assert/strict'
import test from 'node:test'
import { startServer, type TestServer } from '../../../../testkit/server.ts'
import { Seal } from '../domain/seal.ts'

const POST = '1000000000000000001'

/** Signed by this server as its own cursors are, and still not one of them. */
function signed({ secret }: TestServer): string[] {
  const seal = new Seal(secret, 'fanwise cursor')
  const home = (last: string) => seal.close(`1.home.1.1.${last}`)
  return [
    ...['NaN', '1e400', '-1', 'Infinity', '', "1' or '1'='1", `${POST}0`].map(home),
    ...[`0.home.1.1.${POST}`, `2.home.1.1.${POST}`, `1.top.1.1.${POST}`].map(text =>
      seal.close(text)
    ),
    ...[`1.home.2.1.${POST}`, `1.home.1.2.${POST}`, `1.home.1.1.${POST}.down`].map(text =>
      seal.close(text)
    ),
    seal.close(`1.home.1.1.${POST}.up.more`),
    new Seal(secret, 'fanwise commit').close(`1.home.1.1.${POST}`),
    new Seal('another secret', 'fanwise cursor').close(`1.home.1.1.${POST}`)
  ]
}

const GARBAGE = [
  ...['x', '0', '-1', 'null', '%00', '%F0%9F%98%80', '%27%20OR%201%3D1--', 'A'.repeat(10_000)],
  ...['*3%0D%0A$3%0D%0ADEL', 'eyJhIjoxfQ', `${POST}0`, POST.slice(1)]
]

interface Place {
  readonly path: string
  readonly as?: 'server'
  readonly codes: RegExp
}

const CURSOR = /^(invalid_cursor|invalid_request)$/

const PLACES: readonly Place[] = [
  ...['/v1/feed', '/v1/users/ada/posts', '/v1/users/ada/followers', '/v1/users/ada/following']
    .concat(['/v1/blocks', '/v1/mutes', '/v1/follow-requests'])
    .concat(['/v1/follow-requests?direction=outgoing'])
    .map(path => ({ path: `${path}${path.includes('?') ? '&' : '?'}cursor=`, codes: CURSOR })),
  { path: '/v1/admin/users?cursor=', as: 'server', codes: CURSOR },
  { path: '/v1/admin/dead?cursor=', as: 'server', codes: CURSOR },
  { path: '/v1/feed?after=', codes: CURSOR },
  { path: '/v1/feed?before=', codes: CURSOR },
  { path: `/v1/feed?after=${POST}&before=`, codes: /^invalid_(cursor|request|bounds)$/ },
  { path: '/v1/feed/newer?after=', codes: CURSOR },
  { path: `/v1/feed?after=${POST}&known=`, codes: /^invalid_request$/ },
  { path: '/v1/feed?page=', codes: /^invalid_request$/ },
  { path: '/v1/feed?page=1&snapshot=', codes: /^invalid_request$|^snapshot_gone$/ },
  { path: '/v1/posts?ids=', codes: /^invalid_request$/ }
]

test('AP-01: whatever goes on from somewhere refuses what was not made for it, with a code', async t => {
  const server = await startServer(t)
  const { client, admin } = server
  await admin.batch({ users: [{ id: 'ada' }, { id: 'bob' }] })
  await client('ada').createPost({ content: 'x' })
  const token = { user: await server.token('ada'), server: server.serverKey }
  for (const { path, as = 'user', codes } of PLACES)
    for (const text of [...GARBAGE, ...signed(server)]) {
      const headers = { authorization: `Bearer ${token[as]}` }
      const response = await fetch(server.url + path + text, { headers })
      const body = await response.text()
      const name = `${path}${text.slice(0, 60)} -> ${response.status} ${body.slice(0, 200)}`
      assert.ok(response.status >= 400 && response.status < 500, name)
      assert.match(JSON.parse(body).code, codes, name)
      assert.ok(body.length < 2000, `${body.length} bytes`)
    }
})

test('AP-01: a commit token that was not made here is refused on every read', async t => {
  const server = await startServer(t)
  await server.client('ada').createPost({ content: 'x' })
  const authorization = `Bearer ${await server.token('ada')}`
  const seal = new Seal(server.secret, 'fanwise cursor')
  for (const path of ['/v1/feed', '/v1/users/ada/posts', '/v1/blocks'])
    for (const token of ['x', ',', 'A'.repeat(5000), seal.close(`1.post.1.${POST}`)]) {
      const headers = { authorization, 'fanwise-min-commit': token }
      const response = await fetch(server.url + path, { headers })
      const body = await response.text()
      const name = `${path} ${token.slice(0, 40)} -> ${response.status} ${body.slice(0, 200)}`
      assert.equal(response.status, 400, name)
      assert.equal(JSON.parse(body).code, 'invalid_commit', name)
    }
})

const SWAPPED = `after=${POST}&before=${POST.slice(0, -1)}0`

test('who never wrote is refused what everybody is refused', async t => {
  const server = await startServer(t, { limits: { numberedPages: true } })
  await server.client('ada').createPost({ content: 'x' })
  const ask = async (user: string, path: string) => {
    const headers = { authorization: `Bearer ${await server.token(user)}` }
    const response = await fetch(server.url + path, { headers })
    const { code, message, items } = JSON.parse(await response.text())
    return { status: response.status, code, message, empty: items?.length === 0 }
  }
  const wrong = [
    ...[
      'page=1&size=5&limit=5',
      'size=5',
      'page=600',
      'page=1&snapshot=none',
      SWAPPED,
      `known=${POST}`
    ],
    ...[`cursor=x&after=${POST}`, `known=${POST}&before=${POST}`, 'cursor=x', 'after=x']
  ].map(query => `/v1/feed?${query}`)
  const lists = ['blocks', 'mutes', 'follow-requests'].map(list => `/v1/${list}?cursor=x`)
  for (const path of [...wrong, ...lists, '/v1/feed/newer?after=x']) {
    const refused = await ask('ada', path)
    assert.ok(refused.status >= 400, path)
    assert.deepEqual(await ask('nobody', path), refused, path)
  }
  for (const path of ['/v1/feed?page=2', `/v1/feed?after=${POST}`, '/v1/blocks'])
    assert.equal((await ask('nobody', path)).empty, true, path)
})
