import { createClient } from 'redis'
import { failureOf, RedisFailure } from './failure.ts'

export type Reply = string | number | null | readonly Reply[]

/** One connection. It never reconnects: when it is lost, it is lost. */
export interface Link {
  /** Written in the order of the calls. Rejects with RedisFailure. */
  send(args: readonly string[]): Promise<Reply>
  readonly open: boolean
  readonly lost: Promise<void>
  close(): void
}

export interface LinkOptions {
  /** `redis[s]://[user:password@]host:port[/db]` */
  readonly url: string
  readonly timeoutMs: number
}

function makeClient({ url, timeoutMs }: LinkOptions) {
  const client = createClient({
    url,
    RESP: 2,
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    commandOptions: { timeout: 0 },
    socket: { reconnectStrategy: false, connectTimeout: timeoutMs, noDelay: true }
  })
  const { promise: lost, resolve } = Promise.withResolvers<void>()
  for (const event of ['error', 'end', 'terminated', 'sharded-channel-moved'])
    client.on(event, () => resolve())
  const close = () => {
    resolve()
    if (client.isOpen) client.destroy()
  }
  return { client, lost, close }
}

type Made = ReturnType<typeof makeClient>

async function connect(made: Made, timeoutMs: number): Promise<void> {
  const timer = setTimeout(made.close, timeoutMs)
  try {
    const lost = made.lost.then(() => Promise.reject(new Error('The connection was lost')))
    await Promise.race([made.client.connect(), lost])
  } catch (error) {
    made.close()
    throw new RedisFailure('unsent', 'Redis cannot be reached', error)
  } finally {
    clearTimeout(timer)
  }
}

export async function openLink(options: LinkOptions): Promise<Link> {
  const made = makeClient(options)
  await connect(made, options.timeoutMs)
  const { client, lost, close } = made
  return {
    async send(args) {
      if (!client.isReady) throw new RedisFailure('unsent', 'Not connected')
      try {
        return (await client.sendCommand(args)) as Reply
      } catch (error) {
        throw failureOf(error)
      }
    },
    get open() {
      return client.isReady
    },
    lost,
    close
  }
}

export interface Subscription {
  readonly lost: Promise<void>
  close(): void
}

/** Listens to one sharded channel. Resolves once the server has confirmed. */
export async function openSubscription(
  options: LinkOptions,
  channel: string,
  listener: (message: string) => void
): Promise<Subscription> {
  const made = makeClient(options)
  await connect(made, options.timeoutMs)
  const timer = setTimeout(made.close, options.timeoutMs)
  try {
    await made.client.sSubscribe(channel, listener)
  } catch (error) {
    made.close()
    throw failureOf(error)
  } finally {
    clearTimeout(timer)
  }
  return { lost: made.lost, close: made.close }
}
