import {
  Connection,
  FindCoordinatorKeyTypes,
  findCoordinatorV6,
  metadataV12
} from '@platformatic/kafka'
import { deadline } from './deadline.ts'
import { codeOf, isAnswer, withErrors } from './failures.ts'
import type { Settings } from './options.ts'

/** `host:port` of a broker. */
export type Address = string

/** A topic as the cluster tells it: `leaders[partition]` is undefined while a partition has none. */
export interface TopicView {
  readonly id: string
  readonly leaders: readonly (Address | undefined)[]
}

/**
 * The brokers, reached over one connection each and per channel: a request that the broker holds back (a fetch) does
 * not hold up a heartbeat. Each call has a deadline, and a connection that failed is never used again, so a hung
 * client heals by itself.
 */
export class Cluster implements AsyncDisposable {
  readonly #settings: Settings
  readonly #connections = new Map<string, Promise<Connection>>()
  #known: readonly Address[]
  #coordinator: Promise<Address> | undefined
  #disposed = false

  constructor(settings: Settings) {
    this.#settings = settings
    this.#known = settings.brokers
  }

  /** @throws what the broker answered, or that it could not be reached. */
  async call<T>(
    address: Address,
    channel: string,
    send: (connection: Connection) => Promise<T>
  ): Promise<T> {
    const key = `${channel} ${address}`
    const { requestMs } = this.#settings.tuning
    const connection = this.#connection(key, address)
    try {
      return await deadline(connection.then(send), requestMs, `A request of ${key}`)
    } catch (error) {
      if (!isAnswer(error)) this.#drop(key, connection)
      throw error
    }
  }

  /** Null: there is no such topic. @throws when no broker answers. */
  async topic(name: string): Promise<TopicView | null> {
    const found = await this.#any(connection =>
      withErrors(metadataV12.api.async(connection, [name], false, false))
    )
    const addresses = new Map(found.brokers.map(broker => [broker.nodeId, addressOf(broker)]))
    if (addresses.size > 0) {
      this.#known = [...new Set([...addresses.values(), ...this.#settings.brokers])]
    }
    const topic = found.topics.find(one => one.name === name)
    if (topic === undefined) return null
    if (topic.errorCode === codeOf('UNKNOWN_TOPIC_OR_PARTITION')) return null
    const leaders: (Address | undefined)[] = []
    for (const { partitionIndex, leaderId } of topic.partitions) {
      leaders[partitionIndex] = addresses.get(leaderId)
    }
    return { id: topic.topicId, leaders }
  }

  /** The broker that keeps the group; asked for once, until it is forgotten. */
  coordinator(): Promise<Address> {
    this.#coordinator ??= this.#findCoordinator().catch(error => {
      this.#coordinator = undefined
      throw error
    })
    return this.#coordinator
  }

  forgetCoordinator(): void {
    this.#coordinator = undefined
  }

  /** Makes every connection anew; what is under way fails. */
  reset(): void {
    this.#coordinator = undefined
    for (const [key, connection] of this.#connections) this.#drop(key, connection)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true
    this.reset()
  }

  async #findCoordinator(): Promise<Address> {
    const { group } = this.#settings
    const { coordinators } = await this.#any(connection =>
      findCoordinatorV6.api.async(connection, FindCoordinatorKeyTypes.GROUP, [group])
    )
    const [found] = coordinators
    if (found === undefined) throw new Error(`No broker coordinates the group ${group}`)
    return addressOf(found)
  }

  /** Asks one broker after the other. */
  async #any<T>(send: (connection: Connection) => Promise<T>): Promise<T> {
    let last: unknown = new Error('No broker is known')
    for (const address of this.#known) {
      try {
        return await this.call(address, 'control', send)
      } catch (error) {
        last = error
      }
    }
    throw last
  }

  #connection(key: string, address: Address): Promise<Connection> {
    const existing = this.#connections.get(key)
    if (existing !== undefined) return existing
    const opened = this.#open(address)
    this.#connections.set(key, opened)
    opened.then(
      connection => connection.once('close', () => this.#drop(key, opened)),
      () => this.#drop(key, opened)
    )
    return opened
  }

  async #open(address: Address): Promise<Connection> {
    if (this.#disposed) throw new Error('The event log is closed')
    const { clientId, security, tuning } = this.#settings
    const { requestMs } = tuning
    const connection = new Connection(clientId, {
      ...security,
      connectTimeout: requestMs,
      requestTimeout: 2 * requestMs
    })
    connection.on('error', () => {})
    const { host, port } = parseAddress(address)
    await connection.connect(host, port)
    return connection
  }

  #drop(key: string, connection: Promise<Connection>): void {
    if (this.#connections.get(key) !== connection) return
    this.#connections.delete(key)
    connection.then(
      ({ socket }) => socket?.destroy(),
      () => {}
    )
  }
}

function addressOf({ host, port }: { readonly host: string; readonly port: number }): Address {
  return `${host}:${port}`
}

/** Of `host:port` and `[v6]:port`. */
export function parseAddress(address: Address): { readonly host: string; readonly port: number } {
  const colon = address.lastIndexOf(':')
  const host = address.slice(0, colon).replace(/^\[(.*)\]$/, '$1')
  const port = Number(address.slice(colon + 1))
  if (colon <= 0 || !Number.isInteger(port)) throw new TypeError(`${address} is not host:port`)
  return { host, port }
}
