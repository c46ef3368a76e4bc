import assert from 'node:assert/strict'
import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import test, { type TestContext } from 'node:test'
import {
  asServer,
  bearer,
  type HttpOnly,
  httpOnly,
  SECRET
} from '../../../../../testkit/http-only.ts'
import { signToken } from './sign-token.ts'

const soon = () => Math.floor(Date.now() / 1000) + 60

function part(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function hs256(payload: unknown, header: object = {}, key: string | KeyObject = SECRET): string {
  const text = `${part({ alg: 'HS256', ...header })}.${part(payload)}`
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`
}

async function ask({ app }: HttpOnly, token: string) {
  const began = performance.now()
  const headers = { authorization: `Bearer ${token}` }
  const { statusCode, headers: got, body } = await app.inject({ url: '/v1/blocks', headers })
  return { statusCode, got, body, ms: performance.now() - began }
}

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const publicPem = rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString()
const jwk = { ...rsa.publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** The same signature, written another way: the last of its 43 characters has two bits to spare. */
function withStrayBit(token: string): string {
  return token.slice(0, -1) + ALPHABET[ALPHABET.indexOf(token.at(-1) ?? '') + 1]
}

/** Each is wrong in one way. */
function badTokens(): Record<string, string> {
  const good = { sub: 'ada', exp: soon() }
  const [head, body, mac] = hs256(good).split('.')
  const none = ['none', 'NONE', 'None', 'nOnE'].map(alg => [
    `alg ${alg}`,
    `${part({ alg })}.${part(good)}.`
  ])
  return {
    ...Object.fromEntries(none),
    'alg none with a signature': `${part({ alg: 'none' })}.${part(good)}.${mac}`,
    'no alg': `${part({})}.${part(good)}.${mac}`,
    'an RSA public key as secret': hs256(good, {}, publicPem),
    'another secret': hs256(good, {}, 'another'),
    'HS512 in the header': hs256(good, { alg: 'HS512' }),
    'RS256 in the header': hs256(good, { alg: 'RS256' }),
    'expired 1 s': hs256({ ...good, exp: soon() - 61 }),
    'nbf to come': hs256({ ...good, nbf: soon() }),
    'iat to come': hs256({ ...good, iat: soon() }),
    'no exp': hs256({ sub: 'ada' }),
    'exp as text': hs256({ sub: 'ada', exp: String(soon()) }),
    'no sub': hs256({ exp: soon() }),
    'sub a number': hs256({ sub: 7, exp: soon() }),
    'sub empty': hs256({ sub: '', exp: soon() }),
    'sub of 65': hs256({ sub: 'a'.repeat(65), exp: soon() }),
    'sub of 3,000': hs256({ sub: 'a'.repeat(2000), exp: soon() }),
    'sub no user id': hs256({ sub: '../ada', exp: soon() }),
    'sub unicode': hs256({ sub: 'ädä', exp: soon() }),
    'sub a list': hs256({ sub: ['ada'], exp: soon() }),
    "another's sub with this signature": `${head}.${part({ ...good, sub: 'bob' })}.${mac}`,
    'cut off': hs256(good).slice(0, -1),
    padded: `${hs256(good)}=`,
    'padded in the middle': `${head}=.${body}.${mac}`,
    'stray bits at the end': withStrayBit(hs256(good)),
    'no signature': `${head}.${body}.`,
    'an unknown critical header': hs256(good, { crit: ['x'], x: 1 }),
    'payload no JSON': hs256('x').replace(/\..*\./, '.eA.'),
    'payload a list': hs256([]),
    'a kid that is a path': hs256(good, { kid: '../../x' }, 'another'),
    'a kid of SQL': hs256(good, { kid: "' or 1=1 --" }, 'another'),
    'two dots': '..',
    'one dot': '.',
    'four dots': '....',
    unicode: 'ü.ü.ü',
    'a word': 'x',
    '100 KB': hs256({ ...good, pad: 'a'.repeat(100_000) }),
    '5 KB': hs256({ ...good, pad: 'a'.repeat(5000) })
  }
}

function withoutId(body: string): unknown {
  const { requestId: _, ...rest } = JSON.parse(body)
  return rest
}

test('a good token is let in, and again', async t => {
  const http = httpOnly(t, { answer: () => ({ items: [], nextCursor: null }) })
  const token = hs256({ sub: 'ada', exp: soon(), iat: soon() - 60, nbf: soon() - 60 })
  for (let round = 0; round < 2; round += 1) assert.equal((await ask(http, token)).statusCode, 200)
  assert.deepEqual(
    http.calls.map(({ user }) => user),
    ['ada', 'ada']
  )
})

test('SE-04: every bad token gets the same 401, quickly, and is not logged', async t => {
  const http = httpOnly(t, { answer: () => ({ items: [], nextCursor: null }) })
  const anonymous = await http.app.inject({ url: '/v1/blocks' })
  assert.equal(anonymous.statusCode, 401)
  await ask(http, hs256({ sub: 'ada', exp: soon() }))
  http.calls.length = 0
  for (const [name, token] of Object.entries(badTokens())) {
    const { statusCode, got, body, ms } = await ask(http, token)
    assert.equal(statusCode, 401, name)
    assert.deepEqual(withoutId(body), withoutId(anonymous.body), name)
    assert.equal(got['www-authenticate'], 'Bearer', name)
    const again = ms < 50 ? ms : (await ask(http, token)).ms
    assert.ok(again < 50, `${name}: ${ms} ms, then ${again} ms`)
  }
  assert.deepEqual(http.calls, [])
  assert.deepEqual(http.logged, [])
})

test('SE-04: a cached token still expires', async t => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  const http = httpOnly(t, { answer: () => ({ items: [], nextCursor: null }) })
  const token = hs256({ sub: 'ada', exp: soon() })
  assert.equal((await ask(http, token)).statusCode, 200)
  t.mock.timers.tick(61_000)
  assert.equal((await ask(http, token)).statusCode, 401)
})

test('SE-04: issuer and audience are checked when they are set', async t => {
  const auth = { issuer: 'https://id.example.com', audience: 'fanwise' }
  const http = httpOnly(t, { auth, answer: () => ({ items: [], nextCursor: null }) })
  const status = async (claims: object) =>
    (await ask(http, await signToken({ secret: SECRET, ...claims }, 'ada'))).statusCode
  assert.equal(await status(auth), 200)
  const wrong = [{}, { issuer: auth.issuer }, { audience: auth.audience }]
  for (const claims of [...wrong, { ...auth, issuer: 'x' }, { ...auth, audience: 'x' }])
    assert.equal(await status(claims), 401, JSON.stringify(claims))
})

function jwks(t: TestContext): HttpOnly {
  const keys = { jwks: { keys: [jwk as { kty: string }] } }
  return httpOnly(t, { auth: { keys }, answer: () => ({ items: [], nextCursor: null }) })
}

test('SE-04: a key set takes its own algorithm, and never its public key as a secret', async t => {
  const http = jwks(t)
  const { SignJWT } = await import('jose')
  const signed = (header: { alg: string; kid?: string }) =>
    new SignJWT({ sub: 'ada', exp: soon() }).setProtectedHeader(header).sign(rsa.privateKey)
  assert.equal((await ask(http, await signed({ alg: 'RS256', kid: 'one' }))).statusCode, 200)
  const bad = [
    await signed({ alg: 'RS256', kid: '../../x' }),
    await signed({ alg: 'PS256', kid: 'one' }),
    hs256({ sub: 'ada', exp: soon() }, { kid: 'one' }, publicPem),
    hs256({ sub: 'ada', exp: soon() }, { kid: 'one' }, JSON.stringify(jwk)),
    hs256(
      { sub: 'ada', exp: soon() },
      { kid: 'one' },
      createPublicKey(publicPem).export({ type: 'pkcs1', format: 'pem' }).toString()
    )
  ]
  for (const token of bad) assert.equal((await ask(http, token)).statusCode, 401)
})

test('a key set that cannot be fetched is 503: nothing is known about the token', async t => {
  const http = httpOnly(t, { auth: { keys: { jwksUrl: 'http://127.0.0.1:1/keys' } } })
  const { SignJWT } = await import('jose')
  const token = await new SignJWT({ sub: 'ada', exp: soon() })
    .setProtectedHeader({ alg: 'RS256', kid: 'one' })
    .sign(rsa.privateKey)
  const { statusCode, got } = await ask(http, token)
  assert.equal(statusCode, 503)
  assert.equal(got['retry-after'], '1')
})

test('the server key acts for a user by header, and by itself is nobody', async t => {
  const { app, calls } = httpOnly(t, { answer: () => ({ items: [], nextCursor: null }) })
  const status = async (headers: Record<string, string>, url = '/v1/blocks') => {
    const answer = await app.inject({ url, headers })
    return answer.statusCode === 200 ? 200 : answer.json().code
  }
  assert.equal(await status({ ...asServer, 'fanwise-user': 'ada' }), 200)
  assert.equal(calls[0]?.user, 'ada')
  assert.equal(await status(asServer), 'forbidden')
  assert.equal(await status({ ...asServer, 'fanwise-user': 'a b' }), 'invalid_request')
  assert.equal(await status({ ...asServer, 'fanwise-user': '' }), 'invalid_request')
  assert.equal(await status({ ...(await bearer('ada')), 'fanwise-user': 'bob' }), 'forbidden')
  assert.equal(await status({ ...(await bearer('ada')), 'fanwise-user': 'ada' }), 200)
  assert.equal(await status(await bearer('ada'), '/v1/admin/stats'), 'server_key_required')
  assert.equal(await status(asServer, '/v1/admin/stats'), 200)
  assert.equal(await status({ authorization: `${asServer.authorization}x` }), 'unauthenticated')
  assert.equal(await status({ authorization: `Basic ${SECRET}` }), 'unauthenticated')
})

test('profiles: the server key writes any, a user their own', async t => {
  const { app, calls } = httpOnly(t, { answer: () => ({ id: 'ada' }) })
  const put = async (headers: Record<string, string>) =>
    (await app.inject({ method: 'PUT', url: '/v1/users/ada', headers, payload: { name: 'A' } }))
      .statusCode
  assert.equal(await put(await bearer('ada')), 200)
  assert.equal(await put(asServer), 200)
  assert.equal(await put(await bearer('bob')), 403)
  assert.deepEqual(
    calls.map(({ user, method }) => [user, method]),
    [
      ['ada', 'putUser'],
      [null, 'putUser']
    ]
  )
  assert.equal((await app.inject({ url: '/v1/users/ada', headers: asServer })).statusCode, 200)
})

test('SE-05: a token counts in its header alone, once', async t => {
  const { app, calls } = httpOnly(t, { answer: () => ({ items: [], nextCursor: null }) })
  const token = hs256({ sub: 'ada', exp: soon() })
  const status = async (headers: Record<string, string>, url = '/v1/blocks') =>
    (await app.inject({ url, headers })).statusCode
  const authorization = `Bearer ${token}`
  assert.equal(await status({ authorization }), 200)
  assert.equal(await status({ authorization: `bearer ${token}` }), 200)
  calls.length = 0
  assert.equal(await status({ cookie: `token=${token}; authorization=${authorization}` }), 401)
  assert.equal(await status({ 'x-access-token': token }), 401)
  assert.equal(await status({ 'proxy-authorization': authorization }), 401)
  assert.equal(await status({}, `/v1/blocks?access_token=${token}`), 401)
  assert.equal(await status({ authorization: `${authorization}, ${authorization}` }), 401)
  assert.equal(await status({ authorization: `${authorization} ${token}` }), 401)
  assert.equal(await status({ authorization: `Basic ${btoa(`ada:${token}`)}` }), 401)
  assert.equal(await status({ authorization: token }), 401)
  assert.deepEqual(calls, [])
})

test('SE-06: keys that a token brings along, and secrets in a public set, sign nothing', async t => {
  const secret = { kty: 'oct', kid: 'two', k: Buffer.from(publicPem).toString('base64url') }
  const none = { kty: 'oct', kid: 'three', k: '', alg: 'none' }
  const keys = { jwks: { keys: [jwk as { kty: string }, secret, none] } }
  const http = httpOnly(t, { auth: { keys }, answer: () => ({ items: [], nextCursor: null }) })
  const { SignJWT } = await import('jose')
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const theirs = other.publicKey.export({ format: 'jwk' })
  const signed = (header: { alg: string } & Record<string, unknown>, key = other.privateKey) =>
    new SignJWT({ sub: 'ada', exp: soon() }).setProtectedHeader(header).sign(key)
  const good = await signed({ alg: 'RS256', kid: 'one' }, rsa.privateKey)
  assert.equal((await ask(http, good)).statusCode, 200)
  const bad = [
    await signed({ alg: 'RS256', jwk: theirs }),
    await signed({ alg: 'RS256', kid: 'one', jwk: theirs }),
    await signed({ alg: 'RS256', kid: 'one', jku: 'https://evil.example.com/keys' }),
    await signed({ alg: 'RS256', kid: 'one', x5u: 'https://evil.example.com/cert' }),
    hs256({ sub: 'ada', exp: soon() }, { kid: 'two' }, publicPem),
    `${part({ alg: 'none', kid: 'three' })}.${part({ sub: 'ada', exp: soon() })}.`,
    hs256({ sub: 'ada', exp: soon() }, { kid: 'three' }, '')
  ]
  for (const [index, token] of bad.entries())
    assert.equal((await ask(http, token)).statusCode, 401, `token ${index}`)
})
