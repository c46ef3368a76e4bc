import type { LoggedEvent } from '../domain/event.ts'
import type { Clock } from '../ports/clock.ts'
import { type EventLog, EventTooLargeError } from '../ports/event-log.ts'
import type { Lanes, OutboxStore } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { createPauses } from './pauses.ts'

export interface RelayContext {
  readonly store: Pick<OutboxStore, 'openLanes' | 'bury'>
  readonly log: Pick<EventLog, 'append' | 'release' | 'takeOver'>
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
  readonly telemetry: Telemetry
}

export interface RelayOptions {
  /** Rows of one lane that are appended at once. */
  readonly batch?: number
  /** Called when a lane is free again and may have more rows: time to wake the loop. */
  readonly onFree?: () => void
}

/** How far back rows count that a former holder of a lane may have had in work: done, but stuck on their way. */
const PAST_MS = 20_000

/** How long disposal waits for what is on its way. */
const STOP_MS = 10_000

/** Disposal gives the lanes back; what is on its way comes again, here or elsewhere. */
export interface Relay extends AsyncDisposable {
  /**
   * Takes the unpublished rows of every held lane that is free and starts their way into the log, without waiting for
   * it. Returns how many rows it took. @throws when the Store can't be reached or the hold on the lanes was lost.
   */
  relayOnce(): Promise<number>
  /** Resolves when nothing is on its way. */
  idle(): Promise<void>
}

/**
 * Moves outbox rows to the log, lane by lane: one batch of a lane is on its way at a time, so the order of an author's
 * events holds, and a slow lane holds up no other. A row is marked published when its event is safe.
 */
export function createRelay(context: RelayContext, options: RelayOptions = {}): Relay {
  return new LaneRelay(context, options)
}

class LaneRelay implements Relay {
  readonly #context: RelayContext
  readonly #batch: number
  readonly #onFree: () => void
  readonly #pauses
  readonly #flights = new Map<number, Promise<void>>()
  /** Held lanes that the log has taken over, as far as it wants to. */
  #taken = new Set<number>()
  #lanes: Lanes | null = null
  #held: readonly number[] = []
  #round: Promise<unknown> = Promise.resolve()
  #stopped: Promise<void> | undefined

  constructor(context: RelayContext, { batch = 200, onFree = () => {} }: RelayOptions) {
    this.#context = context
    this.#batch = batch
    this.#onFree = onFree
    this.#pauses = createPauses(context.clock)
  }

  /** Rounds follow each other: two at once would read the same rows. */
  relayOnce(): Promise<number> {
    const round = this.#round.then(() => this.#relay())
    this.#round = round.catch(() => {})
    return round
  }

  async idle(): Promise<void> {
    while (this.#flights.size > 0) await Promise.all(this.#flights.values())
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#stopped ??= this.#stop()
    return this.#stopped
  }

  /** Lanes are released first: what is on its way into a log in memory is safe when somebody has done its work. */
  async #stop(): Promise<void> {
    await this.#round
    const { clock, telemetry } = this.#context
    const landed = new AbortController()
    const late = async () => {
      await clock.sleep(STOP_MS, landed.signal)
      if (!landed.signal.aborted) telemetry.log('warn', 'events are still on their way at the end')
    }
    try {
      await Promise.race([this.#giveBack(), late()])
    } finally {
      landed.abort()
      await this.#lanes?.[Symbol.asyncDispose]()
      this.#lanes = null
    }
  }

  async #giveBack(): Promise<void> {
    await this.#context.log.release(this.#held)
    this.#held = []
    await this.idle()
  }

  async #relay(): Promise<number> {
    const lanes = await this.#claim()
    const free = this.#held.filter(lane => !this.#flights.has(lane) && !this.#pauses.has(lane))
    if (free.length === 0) return 0
    const past = Map.groupBy(await this.#past(lanes, free), row => row.lane)
    const rows = await lanes.unpublished(free, this.#batch)
    const byLane = Map.groupBy(rows, row => row.lane)
    for (const lane of free) {
      const [done, ahead] = [past.get(lane) ?? [], byLane.get(lane) ?? []]
      if (done.length + ahead.length === 0) this.#taken.add(lane)
      else this.#flights.set(lane, this.#fly(lanes, lane, done, ahead))
    }
    return rows.length
  }

  /** What a former holder of lanes that are not taken over yet may have had in work. */
  async #past(lanes: Lanes, free: readonly number[]): Promise<readonly LoggedEvent[]> {
    const untaken = free.filter(lane => !this.#taken.has(lane))
    if (untaken.length === 0 || this.#context.log.takeOver === undefined) return []
    return lanes.recent(untaken, PAST_MS)
  }

  /** Takes what is free. A lost session holds nothing any more: the handlers of its lanes must end, and it is replaced. */
  async #claim(): Promise<Lanes> {
    const lanes = this.#lanes ?? (await this.#context.store.openLanes())
    this.#lanes = lanes
    try {
      this.#held = await lanes.claim()
      return lanes
    } catch (error) {
      await this.#lose(lanes)
      throw error
    }
  }

  async #lose(lanes: Lanes): Promise<void> {
    const { log, telemetry } = this.#context
    const held = this.#held
    this.#lanes = null
    this.#held = []
    this.#taken = new Set()
    telemetry.count('relay_sessions_lost')
    await log.release(held)
    await lanes[Symbol.asyncDispose]()
  }

  /** The log can never take it: repeated, it would stop its lane for ever. False leaves that to the next try. */
  async #setAside({ event, message }: EventTooLargeError): Promise<boolean> {
    const { store, telemetry } = this.#context
    telemetry.log('error', 'an event is given up: it is too large for the log', { event, message })
    return store.bury(event, message).then(
      () => true,
      () => false
    )
  }

  async #fly(
    lanes: Lanes,
    lane: number,
    done: readonly LoggedEvent[],
    events: readonly LoggedEvent[]
  ): Promise<void> {
    const { log, telemetry } = this.#context
    try {
      await this.#takeOver(lane, done, events)
      if (events.length > 0) {
        await log.append(events)
        await lanes.markPublished(events.map(({ id }) => id))
      }
      this.#pauses.end(lane)
      telemetry.count('relay_events', events.length)
    } catch (error) {
      if (this.#stopped !== undefined) return
      if (error instanceof EventTooLargeError && (await this.#setAside(error))) return
      const pauseMs = this.#pauses.start(lane)
      telemetry.count('relay_failures')
      telemetry.log('warn', 'events stay in the outbox', { lane, pauseMs, error })
    } finally {
      this.#flights.delete(lane)
      this.#onFree()
    }
  }
  /** Before anything of a lane that another process may have worked on. */
  async #takeOver(
    lane: number,
    done: readonly LoggedEvent[],
    ahead: readonly LoggedEvent[]
  ): Promise<void> {
    const taken = this.#taken
    if (taken.has(lane)) return
    await this.#context.log.takeOver?.(lane, { done, ahead })
    taken.add(lane)
  }
}
