import type { LoggedEvent } from '../../domain/event.ts'
import type { EventHandler, Takeover } from '../../ports/event-log.ts'

/** Events that were appended together, or what is to be told of a former owner, and whoever waits for their work. */
interface Chunk {
  readonly events: readonly LoggedEvent[]
  readonly past?: Takeover
  readonly done: PromiseWithResolvers<void>
}

export interface LaneLimits {
  /** Events of one batch, unless a single append brings more. */
  readonly batchMax: number
  /** Events that may wait in one lane before an append has to wait for room. */
  readonly waitingMax: number
}

/**
 * The events of one lane: worked off batch by batch by the lane's handler, in the order they were appended. When a
 * batch fails, all that waits behind it fails too: its events come again, and nothing may overtake them.
 */
export class LaneQueue {
  readonly #lane: number
  readonly #limits: LaneLimits
  #open: ((lane: number) => EventHandler) | undefined
  #handler: EventHandler | undefined
  #waiting: Chunk[] = []
  /** Appends for which there was no room, first come first. */
  #outside: Chunk[] = []
  #running: Promise<void> | undefined
  #releasing = 0
  #pending = 0

  constructor(lane: number, limits: LaneLimits) {
    this.#lane = lane
    this.#limits = limits
  }

  get pending(): number {
    return this.#pending
  }

  append(events: readonly LoggedEvent[]): Promise<void> {
    return this.#enter({ events, done: Promise.withResolvers() })
  }

  takeOver(past: Takeover): Promise<void> {
    return this.#enter({ events: [], past, done: Promise.withResolvers() })
  }

  #enter(chunk: Chunk): Promise<void> {
    this.#pending += chunk.events.length
    this.#outside.push(chunk)
    this.#admit()
    this.#start()
    return chunk.done.promise
  }

  consume(open: (lane: number) => EventHandler): void {
    this.#open = open
    this.#start()
  }

  /**
   * Fails what waits and closes the handler at once: a batch at work has to end early, for another process may work on
   * the lane by now. Resolves when that batch has ended; a later append opens another handler.
   */
  async release(reason: Error): Promise<void> {
    this.#fail([...this.#waiting.splice(0), ...this.#outside.splice(0)], reason)
    this.#releasing++
    try {
      await Promise.all([this.#close(), this.#running])
    } finally {
      this.#releasing--
      this.#start()
    }
  }

  async #close(): Promise<void> {
    const handler = this.#handler
    this.#handler = undefined
    await handler?.close()
  }

  /** Lets appends in as long as there is room; one that is larger than the room waits until it is alone. */
  #admit(): void {
    let waiting = count(this.#waiting)
    let next = this.#outside[0]
    while (
      next !== undefined &&
      (waiting === 0 || waiting + next.events.length <= this.#limits.waitingMax)
    ) {
      waiting += next.events.length
      this.#waiting.push(next)
      this.#outside.shift()
      next = this.#outside[0]
    }
  }

  #start(): void {
    if (this.#running === undefined) this.#next()
  }

  /** Goes on with the next batch if there is one. The work starts after `#running` is set: it may append. */
  #next(): void {
    const batch = this.#open === undefined || this.#releasing > 0 ? [] : this.#take()
    this.#running = batch.length === 0 ? undefined : this.#run(batch)
  }

  async #run(batch: readonly Chunk[]): Promise<void> {
    await Promise.resolve()
    await this.#work(batch)
    this.#next()
  }

  #take(): Chunk[] {
    let size = 0
    const end = this.#waiting.findIndex(chunk => {
      size += chunk.events.length
      return size > this.#limits.batchMax
    })
    const batch = this.#waiting.splice(0, end < 0 ? this.#waiting.length : Math.max(end, 1))
    this.#admit()
    return batch
  }

  async #work(batch: readonly Chunk[]): Promise<void> {
    try {
      if (this.#releasing > 0) throw new Error('The lane was released')
      this.#handler ??= this.#open?.(this.#lane)
      const handler = this.#handler
      for (const { past } of batch) if (past !== undefined) await handler?.recover?.(past)
      const events = batch.flatMap(chunk => chunk.events)
      if (events.length > 0) await handler?.handle(events)
      this.#pending -= count(batch)
      for (const chunk of batch) chunk.done.resolve()
    } catch (error) {
      this.#fail([...batch, ...this.#waiting.splice(0), ...this.#outside.splice(0)], error)
    }
  }

  #fail(chunks: readonly Chunk[], reason: unknown): void {
    this.#pending -= count(chunks)
    for (const chunk of chunks) chunk.done.reject(reason)
  }
}

function count(chunks: readonly Chunk[]): number {
  return chunks.reduce((sum, chunk) => sum + chunk.events.length, 0)
}
