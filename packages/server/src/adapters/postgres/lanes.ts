import { Client } from 'pg'
import type { FeedEvent, LoggedEvent } from '../../domain/event.ts'
import { LANES } from '../../domain/post-id.ts'
import type { Lanes } from '../../ports/store.ts'
import { OUTBOX_CHANNEL } from './bell.ts'
import { asProblem, unavailable, wasAnswered } from './failures.ts'
import { LANE_LOCK } from './locks.ts'
import { connectionConfig, type DatabaseOptions, type Statement, statement } from './pool.ts'

const claim = statement(
  'lanes_claim',
  `select lane from unnest($1::int[]) lane where pg_try_advisory_lock(${LANE_LOCK}, lane)`
)

/** Never "above the last id": a transaction that took its id earlier may commit later. */
const unpublished = statement(
  'lanes_unpublished',
  `select o.id, o.lane, o.payload from unnest($1::smallint[]) l (lane)
   cross join lateral (
     select id, lane, payload from outbox
     where lane = l.lane and published_at is null and dead_at is null order by id limit $2
   ) o
   order by o.lane, o.id`
)

const mark = statement(
  'lanes_mark',
  'update outbox set published_at = now() where id = any($1::bigint[]) and published_at is null'
)

/** The newest rows of all, of which those of these lanes are taken: there is no index on what is published. */
const recent = statement(
  'lanes_recent',
  `select id, lane, payload from (
     select id, lane, payload, published_at, dead_at from outbox order by id desc limit $3
   ) o
   where lane = any($1::smallint[]) and dead_at is null
     and published_at > now() - $2::float8 * interval '1 ms'
   order by o.id`
)

const RECENT_MAX = 10_000

interface Row {
  readonly id: string
  readonly lane: number
  readonly payload: FeedEvent
}

/** The locks live and die with the session, and so does all that this object can do. */
class LaneSession implements Lanes {
  readonly #client: Client
  readonly #held = new Set<number>()
  #lost: unknown
  #turn: Promise<unknown> = Promise.resolve()

  constructor(client: Client) {
    this.#client = client
    client.on('error', error => this.#lose(error))
    client.on('end', () => this.#lose(new Error('The session has ended.')))
  }

  async claim(): Promise<readonly number[]> {
    const free = Array.from({ length: LANES }, (_, lane) => lane).filter(
      lane => !this.#held.has(lane)
    )
    if (free.length > 0) {
      for (const { lane } of await this.#rows<{ lane: number }>(claim, [free])) this.#held.add(lane)
    }
    this.#mustLive()
    return [...this.#held].sort((a, b) => a - b)
  }

  async unpublished(lanes: readonly number[], limit: number): Promise<readonly LoggedEvent[]> {
    const held = lanes.filter(lane => this.#held.has(lane))
    return (await this.#rows<Row>(unpublished, [held, limit])).map(toEvent)
  }

  async recent(lanes: readonly number[], ageMs: number): Promise<readonly LoggedEvent[]> {
    const held = lanes.filter(lane => this.#held.has(lane))
    return (await this.#rows<Row>(recent, [held, ageMs, RECENT_MAX])).map(toEvent)
  }

  async markPublished(ids: readonly string[]): Promise<void> {
    await this.#rows(mark, [ids])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#lose(new Error('The lanes were given back.'))
    await this.#client.end()
  }

  /** Statements of one session take turns; lanes mark their rows while others are read. */
  #rows<R extends object>(of: Statement, values: readonly unknown[]): Promise<R[]> {
    const rows = this.#turn.then(() => this.#ask<R>(of, values))
    this.#turn = rows.catch(() => undefined)
    return rows
  }

  async #ask<R extends object>(of: Statement, values: readonly unknown[]): Promise<R[]> {
    this.#mustLive()
    try {
      return (await this.#client.query<R>({ ...of, values: [...values] })).rows
    } catch (error) {
      const problem = asProblem(error)
      if (problem !== error || !wasAnswered(error)) await this.#abandon(error)
      throw problem
    }
  }

  /** A session that doesn't answer may still hold its locks: it is closed, so that others get them. */
  async #abandon(error: unknown): Promise<void> {
    this.#lose(error)
    await this.#client.end().catch(() => undefined)
  }

  #lose(error: unknown): void {
    this.#lost ??= error
    this.#held.clear()
  }

  #mustLive(): void {
    if (this.#lost !== undefined) throw unavailable(this.#lost)
  }
}

/** Who else writes rows may write JSON that is null: no event, and given up as others are that are none. */
function toEvent({ id, lane, payload }: Row): LoggedEvent {
  return { id, lane, event: payload ?? {} }
}

/** `heard` is called when another process says that it has written rows. */
export async function openLanes(options: DatabaseOptions, heard: () => void): Promise<Lanes> {
  const client = new Client({ ...connectionConfig(options), application_name: 'fanwise lanes' })
  const lanes = new LaneSession(client)
  try {
    client.on('notification', heard)
    await client.connect()
    await client.query(`listen ${OUTBOX_CHANNEL}`)
  } catch (error) {
    await client.end().catch(() => undefined)
    throw asProblem(error)
  }
  return lanes
}
