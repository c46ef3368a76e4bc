// A TCP proxy between a client and a server of 127.0.0.1 that fails as networks do.
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

export interface TcpProxy extends AsyncDisposable {
  /** Where clients connect, on 127.0.0.1. */
  readonly port: number
  /** Open connections of clients. */
  readonly connections: number
  /** Swallowed by the black hole so far. */
  readonly lostBytes: number
  /** Resets every connection, and each further one as it comes. */
  cut(): void
  /** Accepts, and loses all that is sent either way. */
  blackhole(): void
  /** Each piece of a reply arrives `ms` later. */
  delay(ms: number): void
  /**
   * Forwards requests and loses the replies: at the first one, the connection is reset. So the
   * server has done the work, and the client can't know.
   */
  swallowReplies(): void
  /** As if nothing had been. Connections that have lost bytes are reset. */
  heal(): void
}

type Mode = 'forward' | 'cut' | 'blackhole' | 'swallow'

/** One connection of a client with its own to the server. */
interface Pair {
  readonly client: Socket
  readonly server: Socket
  isTorn: boolean
}

function reset({ client, server }: Pair): void {
  client.resetAndDestroy()
  server.resetAndDestroy()
}

class FaultyProxy implements TcpProxy {
  readonly #listener: Server
  readonly #pairs = new Set<Pair>()
  readonly #timers = new Set<NodeJS.Timeout>()
  #mode: Mode = 'forward'
  #delayMs = 0
  #lostBytes = 0

  constructor(target: { host: string; port: number }) {
    this.#listener = createServer(client => this.#accept(client, connect(target)))
  }

  async listen(): Promise<void> {
    this.#listener.listen(0, '127.0.0.1')
    await once(this.#listener, 'listening')
  }

  get port(): number {
    return (this.#listener.address() as { port: number }).port
  }

  get connections(): number {
    return this.#pairs.size
  }

  get lostBytes(): number {
    return this.#lostBytes
  }

  cut(): void {
    this.#mode = 'cut'
    for (const pair of this.#pairs) reset(pair)
  }

  blackhole(): void {
    this.#mode = 'blackhole'
  }

  delay(ms: number): void {
    this.#delayMs = ms
  }

  swallowReplies(): void {
    this.#mode = 'swallow'
  }

  heal(): void {
    this.#mode = 'forward'
    this.#delayMs = 0
    for (const pair of this.#pairs) if (pair.isTorn) reset(pair)
  }

  #accept(client: Socket, server: Socket): void {
    const pair = { client, server, isTorn: false }
    this.#pairs.add(pair)
    client.setNoDelay(true)
    server.setNoDelay(true)
    for (const [socket, other] of [[client, server] as const, [server, client] as const]) {
      socket.on('error', () => other.resetAndDestroy())
      socket.on('end', () => other.end())
      socket.on('close', () => this.#pairs.delete(pair))
    }
    client.on('data', bytes => this.#request(pair, bytes))
    server.on('data', bytes => this.#reply(pair, bytes))
    if (this.#mode === 'cut') reset(pair)
  }

  #request(pair: Pair, bytes: Buffer): void {
    if (this.#mode === 'blackhole') this.#lose(pair, bytes)
    else pair.server.write(bytes)
  }

  #reply(pair: Pair, bytes: Buffer): void {
    if (this.#mode === 'swallow') reset(pair)
    else if (this.#mode === 'blackhole') this.#lose(pair, bytes)
    else if (this.#delayMs === 0) pair.client.write(bytes)
    else this.#replyLater(pair, bytes)
  }

  #lose(pair: Pair, bytes: Buffer): void {
    pair.isTorn = true
    this.#lostBytes += bytes.length
  }

  #replyLater(pair: Pair, bytes: Buffer): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      if (!pair.client.destroyed) pair.client.write(bytes)
    }, this.#delayMs)
    this.#timers.add(timer)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer)
    for (const pair of this.#pairs) reset(pair)
    await new Promise(resolve => this.#listener.close(resolve))
  }
}

/**
 * A proxy on a free port of 127.0.0.1.
 * @param target a port of 127.0.0.1, or host and port
 */
export async function createProxy(
  target: number | { host: string; port: number }
): Promise<TcpProxy> {
  const at = typeof target === 'number' ? { host: '127.0.0.1', port: target } : target
  const proxy = new FaultyProxy(at)
  await proxy.listen()
  return proxy
}
