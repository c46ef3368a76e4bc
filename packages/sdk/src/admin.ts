import type {
  AdminApi,
  Batch,
  BatchResult,
  DeadEvent,
  DeadRecord,
  Stats,
  VerifyQuery,
  VerifyReport
} from './admin-api.ts'
import type { Page, PostId, Profile, ProfileChange, UserId } from './api.ts'
import { FanwiseClient } from './client.ts'
import type { Explanation, PostDelivery } from './explanation.ts'
import { type Paged, type PagedQuery, paged, queryText } from './paged.ts'
import { join, postPath, userPath } from './paths.ts'
import {
  type ConnectionOptions,
  type RequestOptions,
  Transport,
  type WriteRequest
} from './transport.ts'

export interface AdminOptions extends ConnectionOptions {
  /** Keep it on your servers: it may act for everybody. */
  readonly serverKey: string
}

/** The server answers at its own limit; the network gets this long on top, in ms. */
const ON_TOP_MS = 5000

/**
 * What the app's backend can do with the server key, over HTTP. Methods reject with a `FanwiseError`.
 *
 * @example
 * const admin = new FanwiseAdmin({ url: 'http://localhost:4100', serverKey })
 * await admin.batch({ users: [{ id: 'ada', name: 'Ada' }] })
 * await admin.as('ada').createPost({ content: 'The engine weaves patterns.' })
 */
export class FanwiseAdmin implements AdminApi {
  readonly #options: AdminOptions
  readonly #transport: Transport

  constructor(options: AdminOptions) {
    this.#options = options
    const headers = { authorization: `Bearer ${options.serverKey}` }
    this.#transport = new Transport(options, async () => headers)
  }

  /** A client that acts for a user. */
  as(user: UserId): FanwiseClient {
    return new FanwiseClient({ ...this.#options, token: this.#options.serverKey, actingFor: user })
  }

  /** Up to 1,000 users, follows, posts and likes; sending it again changes nothing. */
  batch(batch: Batch, options: WriteRequest = {}): Promise<BatchResult> {
    return this.#transport.ask('POST', '/v1/batch', options, batch)
  }

  users(query: PagedQuery = {}): Paged<Profile> {
    return paged(query, one =>
      this.#transport.ask<Page<Profile>>('GET', `/v1/admin/users${queryText(one)}`, one)
    )
  }

  /** Creates or changes any profile; absent fields stay as they are. */
  putUser(user: UserId, change: ProfileChange, options: WriteRequest = {}): Promise<Profile> {
    return this.#transport.ask('PUT', userPath(user), options, change)
  }

  /** Compares walks through a feed with the oracle, and counts with their rows; with `repair` it mends what is wrong. */
  verify(reader: UserId, options: VerifyQuery & RequestOptions = {}): Promise<VerifyReport> {
    const { only, repair = false, ...rest } = options
    const [method, act] = repair ? (['POST', 'repair'] as const) : (['GET', 'verify'] as const)
    const query = only === undefined ? '' : `?only=${only}`
    return this.#transport.ask(method, join('/v1/admin/feeds', reader, act) + query, rest)
  }

  /** Readers at random who were here in the last 30 days. */
  async sampleReaders(limit?: number, options: RequestOptions = {}): Promise<readonly UserId[]> {
    const path = `/v1/admin/sample${queryText(limit === undefined ? {} : { limit })}`
    return (await this.#transport.ask<{ readers: readonly UserId[] }>('GET', path, options)).readers
  }

  /** Builds a feed again from the Store. */
  rebuild(reader: UserId, options: RequestOptions = {}): Promise<{ readonly ids: number }> {
    return this.#transport.ask('POST', join('/v1/admin/feeds', reader, 'rebuild'), options)
  }

  /** Why a post is, or is not, in a reader's feed. */
  explain(reader: UserId, post: PostId, options: RequestOptions = {}): Promise<Explanation> {
    const path = join('/v1/admin/feeds', reader, 'explain')
    return this.#transport.ask('GET', `${path}?post=${encodeURIComponent(post)}`, options)
  }

  /** How far the fan-out of any post is. */
  delivery(id: PostId, options: RequestOptions = {}): Promise<PostDelivery> {
    return this.#transport.ask('GET', postPath(id, 'delivery'), options)
  }

  /** Hides a user and their posts everywhere, until `unsuspend`. */
  suspend(user: UserId, options: WriteRequest = {}): Promise<void> {
    return this.#transport.ask('POST', join('/v1/admin/users', user, 'suspend'), options)
  }

  unsuspend(user: UserId, options: WriteRequest = {}): Promise<void> {
    return this.#transport.ask('POST', join('/v1/admin/users', user, 'unsuspend'), options)
  }

  /** Waits until all events so far are worked off: true; or until `timeoutMs` has passed: false. */
  async settle(timeoutMs?: number, options: RequestOptions = {}): Promise<boolean> {
    const wait = timeoutMs === undefined ? {} : { atLeastMs: timeoutMs + ON_TOP_MS }
    const body = timeoutMs === undefined ? {} : { timeoutMs }
    const { settled } = await this.#transport.ask<{ settled: boolean }>(
      ...(['POST', '/v1/admin/settle', { ...options, ...wait }, body] as const)
    )
    return settled
  }

  stats(options: RequestOptions = {}): Promise<Stats> {
    return this.#transport.ask('GET', '/v1/admin/stats', options)
  }

  /** Events that were given up, the oldest first. */
  deadEvents(query: PagedQuery = {}): Paged<DeadEvent> {
    return paged(query, one =>
      this.#transport.ask<Page<DeadEvent>>('GET', `/v1/admin/dead${queryText(one)}`, one)
    )
  }

  /** Has an event that was given up published once more. */
  retryDead(id: string, options: RequestOptions = {}): Promise<void> {
    return this.#transport.ask('POST', join('/v1/admin/dead', id, 'retry'), options)
  }

  /** Forgets an event that was given up. */
  dropDead(id: string, options: RequestOptions = {}): Promise<void> {
    return this.#transport.ask('DELETE', join('/v1/admin/dead', id), options)
  }

  /** Records of the event log that are no events, the oldest ones. */
  async deadRecords(limit?: number, options: RequestOptions = {}): Promise<readonly DeadRecord[]> {
    const query = queryText(limit === undefined ? {} : { limit })
    const path = `/v1/admin/dead-records${query}`
    return (await this.#transport.ask<{ items: readonly DeadRecord[] }>('GET', path, options)).items
  }

  /** Forgets them up to a position, that included. */
  dropDeadRecords(position: string, options: RequestOptions = {}): Promise<void> {
    return this.#transport.ask('DELETE', join('/v1/admin/dead-records', position), options)
  }
}
