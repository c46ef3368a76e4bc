import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import test, { type TestContext } from 'node:test'
import { createProxy, type TcpProxy } from './tcp-proxy.ts'

interface Echo {
  readonly proxy: TcpProxy
  /** All that the server was sent. */
  received(): string
  /** Resolves with the next bytes that the server gets. */
  nextRequest(): Promise<string>
  client(): Promise<Socket>
}

/** A server that answers what it is sent in capitals, behind a proxy. */
async function echo(t: TestContext): Promise<Echo> {
  let received = ''
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('data', bytes => {
      received += bytes
      server.emit('request', `${bytes}`)
      socket.write(`${bytes}`.toUpperCase())
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy = await createProxy((server.address() as { port: number }).port)
  t.after(async () => {
    await proxy[Symbol.asyncDispose]()
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    proxy,
    received: () => received,
    nextRequest: async () => (await once(server, 'request'))[0] as string,
    async client() {
      const socket = connect(proxy.port, '127.0.0.1')
      t.after(() => void socket.destroy())
      await once(socket, 'connect')
      return socket
    }
  }
}

async function ask(socket: Socket, text: string): Promise<string> {
  const reply = once(socket, 'data')
  socket.write(text)
  return `${(await reply)[0]}`
}

const wasReset = { code: 'ECONNRESET' }

test('bytes go both ways', async t => {
  const { client } = await echo(t)
  const socket = await client()
  assert.equal(await ask(socket, 'one'), 'ONE')
  assert.equal(await ask(socket, 'two'), 'TWO')
})

test('a cut resets open and coming connections until it is healed', async t => {
  const { proxy, client } = await echo(t)
  const socket = await client()
  await ask(socket, 'one')
  const ended = assert.rejects(once(socket, 'end'), wasReset)
  proxy.cut()
  await ended
  const next = connect(proxy.port, '127.0.0.1')
  await assert.rejects(once(next, 'end'), wasReset)
  proxy.heal()
  assert.equal(await ask(await client(), 'two'), 'TWO')
})

test('a black hole accepts and answers nothing, and what it lost never arrives', async t => {
  const { proxy, client, received, nextRequest } = await echo(t)
  proxy.blackhole()
  const socket = await client()
  let replies = 0
  socket.on('data', () => replies++)
  const second = await client()
  const resets = [socket, second].map(each => assert.rejects(once(each, 'end'), wasReset))
  socket.write('lost')
  second.write('lost too')
  while (proxy.lostBytes < 12) await new Promise(setImmediate)
  proxy.heal()
  await Promise.all(resets)
  const request = nextRequest()
  assert.equal(await ask(await client(), 'heard'), 'HEARD')
  assert.equal(await request, 'heard')
  assert.equal(received(), 'heard')
  assert.equal(replies, 0)
})

test('a delayed reply comes later', async t => {
  const { proxy, client } = await echo(t)
  const socket = await client()
  proxy.delay(100)
  const start = performance.now()
  assert.equal(await ask(socket, 'slow'), 'SLOW')
  assert.ok(performance.now() - start >= 95)
  proxy.delay(0)
  assert.equal(await ask(socket, 'fast'), 'FAST')
})

test('swallowed replies leave the work done and the client without an answer', async t => {
  const { proxy, client, received } = await echo(t)
  const socket = await client()
  await ask(socket, 'one')
  proxy.swallowReplies()
  let replies = 0
  socket.on('data', () => replies++)
  socket.write('two')
  await assert.rejects(once(socket, 'end'), wasReset)
  assert.equal(received(), 'onetwo')
  assert.equal(replies, 0)
})

test('a server that is not there resets the client', async t => {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as { port: number }
  await new Promise(resolve => probe.close(resolve))
  await using proxy = await createProxy(port)
  const socket = connect(proxy.port, '127.0.0.1')
  t.after(() => void socket.destroy())
  await assert.rejects(once(socket, 'end'), wasReset)
})
