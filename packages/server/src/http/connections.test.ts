// What clients get that send too much, too little, or something else than HTTP.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import test, { type TestContext } from 'node:test'
import {
  asServer,
  type HttpOnly,
  type HttpOnlyOptions,
  httpOnly
} from '../../../../testkit/http-only.ts'

const HEAD = [
  'host: localhost',
  `authorization: ${asServer.authorization}`,
  'fanwise-user: ada',
  'content-type: application/json'
].join('\r\n')

const body = '{"content":"x"}'

function post(headers: string, text: string): string {
  return `POST /v1/posts HTTP/1.1\r\n${HEAD}\r\n${headers}\r\n\r\n${text}`
}

const whole = post(`content-length: ${body.length}`, body)

async function open(
  t: TestContext,
  options: HttpOnlyOptions
): Promise<{ http: HttpOnly; socket: Socket; got: Promise<string> }> {
  const http = httpOnly(t, options)
  await http.app.listen({ port: 0, host: '127.0.0.1' })
  const socket = connect((http.app.server.address() as AddressInfo).port, '127.0.0.1')
  t.after(() => socket.destroy())
  const text = async () => {
    let got = ''
    for await (const bytes of socket) got += bytes
    return got
  }
  return { http, socket, got: text() }
}

function statuses(answers: string): string[] {
  return [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status = '']) => status)
}

test('requests before one that is not HTTP get their answers first', async t => {
  const gates = [Promise.withResolvers<object>(), Promise.withResolvers<object>()]
  const answer = () => gates[http.calls.length - 1]?.promise
  const { http, socket, got } = await open(t, { answer })
  const malformed = once(http.app.server, 'clientError')
  socket.write(`${whole}${whole}GARBAGE\r\n\r\n`)
  await malformed
  for (const gate of gates.toReversed()) gate.resolve({ id: '1' })
  assert.deepEqual(statuses(await got), ['201', '201', '400'])
})

test('a body that is broken off by garbage is answered once', async t => {
  const { http, socket, got } = await open(t, {})
  socket.write(post('transfer-encoding: chunked', 'zz\r\n'))
  assert.deepEqual(statuses(await got), ['400'])
  assert.deepEqual(http.calls, [])
})

test('garbage in a body that was refused before it arrived is not answered again', async t => {
  const { socket, got } = await open(t, {})
  const malformed = post('transfer-encoding: chunked\r\nexpect: x', 'f\r\n')
  socket.write(malformed)
  socket.end('zz\r\n')
  assert.equal(statuses(await got).length, 1)
})

test('a client that hangs up amid its body is no failure of the server', async t => {
  const { http, socket, got } = await open(t, {})
  const asked = once(http.app.server, 'request')
  const answered = Promise.withResolvers<void>()
  http.app.server.on('request', (_, response) => response.on('close', answered.resolve))
  socket.write(post('content-length: 1000', '{"c'))
  await asked
  socket.destroy()
  await got.catch(() => '')
  await answered.promise
  await new Promise(setImmediate)
  assert.deepEqual(
    http.logged.map(({ level }) => level),
    ['debug']
  )
})

const MANY = 6_000_000

/** Sends everything before it reads anything. */
async function upload(t: TestContext, headers: string, chunk: (text: string) => string) {
  const { http, socket, got } = await open(t, {})
  socket.pause()
  const text = chunk('a'.repeat(60_000))
  socket.write(post(headers, ''))
  for (let sent = 0; sent < MANY; sent += 60_000)
    if (!socket.write(text)) await once(socket, 'drain')
  socket.end(chunk(''))
  socket.resume()
  return { http, answer: await got }
}

test('a body that is too large is read to its end, so that the client reads the answer', async t => {
  const plain = await upload(t, `content-length: ${MANY}`, text => text)
  assert.deepEqual(statuses(plain.answer), ['413'])
  const chunked = await upload(
    t,
    'transfer-encoding: chunked',
    text => `${text.length.toString(16)}\r\n${text}\r\n`
  )
  assert.deepEqual(statuses(chunked.answer), ['413'])
  const closing = await upload(t, `connection: close\r\ncontent-length: ${MANY}`, text => text)
  assert.deepEqual(statuses(closing.answer), ['413'])
})

test('whoever may not call at all can send their body too', async t => {
  const { answer } = await upload(
    t,
    `connection: close\r\nfanwise-user: a b\r\ncontent-length: ${MANY}`,
    text => text
  )
  assert.deepEqual(statuses(answer), ['400'])
})

test('after a body that was refused the connection goes on', async t => {
  const { socket, got } = await open(t, { answer: () => ({ id: '1' }) })
  socket.write(post('content-length: 1', '{') + whole)
  socket.end()
  assert.deepEqual(statuses(await got), ['400', '201'])
})

test('an expectation that is not known gets a problem', async t => {
  const { http, socket, got } = await open(t, { answer: () => ({ id: '1' }) })
  socket.write(post(`expect: foo\r\ncontent-length: ${body.length}`, body))
  socket.write(post(`expect: 100-continue\r\ncontent-length: ${body.length}`, body))
  socket.end()
  const answers = await got
  assert.deepEqual(statuses(answers), ['400', '100', '201'])
  assert.match(answers, /application\/problem\+json/)
  assert.match(answers, /Expect is \\"foo\\"/)
  assert.equal(http.calls.length, 1)
})
