import assert from 'node:assert/strict'
import test from 'node:test'
import { gzipSync } from 'node:zlib'
import { bearer, httpOnly } from '../../../../testkit/http-only.ts'

const json = '{"content":"x"}'

test('bodies are plain UTF-8; other encodings are refused by the name of the header', async t => {
  const { app, calls } = httpOnly(t, { answer: () => ({ id: '1' }) })
  const post = async (headers: Record<string, string>, payload: string | Buffer = json) => {
    const all = { 'content-type': 'application/json', ...(await bearer('ada')), ...headers }
    const got = await app.inject({ method: 'POST', url: '/v1/posts', headers: all, payload })
    return got.statusCode === 201 ? '' : `${got.json().code} ${got.json().message}`
  }
  const encoding = /^unsupported_media_type .*Content-Encoding/
  for (const name of ['gzip', 'br', 'deflate', 'GZIP', 'identity, gzip', 'x'])
    assert.match(await post({ 'content-encoding': name }), encoding, name)
  assert.match(await post({ 'content-encoding': 'gzip' }, gzipSync(json)), encoding)
  const type = (rest: string) => ({ 'content-type': `application/json${rest}` })
  for (const rest of ['; charset=utf-16', ';charset="UTF-16LE"', '; a=b; charset=latin1'])
    assert.match(await post(type(rest)), /^unsupported_media_type .*Content-Type.*charset/, rest)
  assert.equal(calls.length, 0)
  for (const rest of ['', '; charset=utf-8', ';charset="UTF-8"', '; charset=utf8'])
    assert.equal(await post(type(rest)), '', rest)
  assert.equal(await post({ 'content-encoding': 'identity' }), '')
})

test('without a body the headers of one say nothing', async t => {
  const { app } = httpOnly(t, { answer: () => ({ items: [], nextCursor: null }) })
  const headers = { ...(await bearer('ada')), 'content-encoding': 'gzip' }
  assert.equal((await app.inject({ url: '/v1/blocks', headers })).statusCode, 200)
})
