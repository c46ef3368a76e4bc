import type { LoggedEvent } from '../../domain/event.ts'
import type { EventHandler, Takeover } from '../../ports/event-log.ts'
import type { Commits } from './commits.ts'
import { deadline } from './deadline.ts'
import type { Settings } from './options.ts'
import type { Entry } from './records.ts'

const FIRST_PAUSE_MS = 100
/** Followers wait this long after an outage that the partition has slept through. */
const LONGEST_PAUSE_MS = 2000

/** Where a partition begins: what to tell its new owner, and the records that were read to find that. */
export interface Beginning {
  readonly past: Takeover
  readonly entries: readonly Entry[]
  /** The offset behind these: read on from here. */
  readonly position: bigint
}

export interface PartitionContext {
  readonly settings: Settings
  readonly commits: Commits
  readonly open: (partition: number) => EventHandler
  readonly begin: (partition: number) => Promise<Beginning>
  /** Keeps a record that holds no event. */
  readonly bury: (partition: number, entry: Entry) => Promise<void>
  /** There is room for more. */
  readonly hungry: () => void
}

/** A partition that belongs to this process: what was read of it, worked off batch by batch. */
export class Partition {
  readonly topicId: string
  readonly number: number
  /** The offset to be read next; undefined while it is not known. */
  position: bigint | undefined
  /** Of the clock that never steps back: when it was read last, found or not. */
  readAt: number
  readonly #context: PartitionContext
  readonly #closing = new AbortController()
  readonly #closed = Promise.withResolvers<void>()
  /** Another may own it: nothing is committed any more. */
  #givenUp = false
  #handler: EventHandler | undefined
  #queue: Entry[] = []
  #arrived = Promise.withResolvers<void>()
  #done: bigint | undefined
  #highWatermark = 0n
  #work: Promise<void>

  constructor(topicId: string, number: number, context: PartitionContext) {
    this.topicId = topicId
    this.number = number
    this.#context = context
    this.readAt = context.settings.clock.monotonic()
    this.#work = this.#run()
  }

  /** Whether records should be read for it. */
  get wants(): boolean {
    const { waitingMax } = this.#context.settings.tuning
    return (
      !this.#closing.signal.aborted &&
      this.position !== undefined &&
      this.#queue.length < waitingMax
    )
  }

  /** Events behind those whose work is done. */
  get lag(): number {
    const lag = this.#highWatermark - (this.#done ?? this.#highWatermark)
    return lag > 0n ? Number(lag) : 0
  }

  /** What was read from `position` on; the next records are behind `end`. */
  take(entries: readonly Entry[], end: bigint, highWatermark: bigint): void {
    this.position = end
    this.#highWatermark = highWatermark
    this.readAt = this.#context.settings.clock.monotonic()
    this.#queue.push(...entries)
    if (entries.length > 0) this.#arrived.resolve()
  }

  /** What was to be read is not there: goes on at another offset. Nothing before it will be committed. */
  skipTo(offset: bigint): void {
    this.position = offset
    this.readAt = this.#context.settings.clock.monotonic()
  }

  /** Ends after the batch at work, if that ends soon, and commits what is done; then nothing is written any more. */
  async close(): Promise<void> {
    const { tuning } = this.#context.settings
    this.#stop()
    await deadline(this.#work, tuning.drainMs, 'A batch').catch(() => {})
    await this.#closeHandler()
    const flushed = this.#context.commits.flushed(this.number)
    await deadline(flushed, tuning.requestMs, 'A commit').catch(() => {})
    this.#givenUp = true
    this.#context.commits.drop(this.number)
  }

  /** Another may own it: ends at once and commits nothing. */
  async abandon(): Promise<void> {
    this.#givenUp = true
    this.#stop()
    this.#context.commits.drop(this.number)
    await this.#closeHandler()
  }

  #stop(): void {
    this.#closing.abort()
    this.#closed.resolve()
    this.#arrived.resolve()
  }

  /** Within bounds: the group would take the partition away in any case. */
  async #closeHandler(): Promise<void> {
    const { telemetry, tuning } = this.#context.settings
    const handler = this.#handler
    this.#handler = undefined
    try {
      const closed = Promise.all([handler?.close(), this.#work])
      await deadline(closed, tuning.closeMs, 'Closing a handler')
    } catch (error) {
      telemetry.count('log_handlers_stuck')
      telemetry.log('error', 'a partition was given up before its handler had ended', {
        partition: this.number,
        error
      })
    }
  }

  async #run(): Promise<void> {
    await this.#insist('where a partition begins is not known', () => this.#begin())
    while (!this.#closing.signal.aborted) {
      const batch = this.#queue.splice(0, this.#context.settings.tuning.batchMax)
      if (batch.length > 0) await this.#handle(batch)
      else await this.#arrival()
    }
  }

  async #begin(): Promise<void> {
    const { past, entries, position } = await this.#context.begin(this.number)
    if (past.done.length + past.ahead.length > 0) await this.#open().recover?.(past)
    if (this.#closing.signal.aborted) return
    this.#done = entries[0]?.offset ?? position
    this.take(entries, position, position)
    this.#context.hungry()
  }

  #open(): EventHandler {
    this.#handler ??= this.#context.open(this.number)
    return this.#handler
  }

  async #arrival(): Promise<void> {
    this.#arrived = Promise.withResolvers<void>()
    if (this.#queue.length > 0 || this.#closing.signal.aborted) return
    this.#context.hungry()
    await this.#arrived.promise
  }

  async #handle(batch: readonly Entry[]): Promise<void> {
    const { commits, bury } = this.#context
    this.#context.hungry()
    const done = await this.#insist('events of the log are not worked off', async () => {
      for (const entry of batch) if (entry.event === null) await bury(this.number, entry)
      const events = batch.flatMap(({ event }): LoggedEvent[] => (event === null ? [] : [event]))
      if (events.length > 0) await this.#open().handle(events)
    })
    const last = batch.at(-1)
    if (!done || last === undefined) return
    // One batch at most waits for its commit while the next is worked off.
    await Promise.race([commits.flushed(this.number), this.#closed.promise])
    if (this.#givenUp) return
    this.#done = last.offset + 1n
    commits.done(this.number, this.#done)
  }

  /** Repeats what fails, with growing pauses, until the partition is closed. Returns whether it succeeded. */
  async #insist(failed: string, work: () => Promise<void>): Promise<boolean> {
    const { clock, telemetry } = this.#context.settings
    let pauseMs = FIRST_PAUSE_MS
    while (!this.#closing.signal.aborted) {
      try {
        await work()
        return true
      } catch (error) {
        if (this.#closing.signal.aborted) return false
        telemetry.count('log_batch_failures')
        telemetry.log('warn', failed, { partition: this.number, pauseMs, error })
        await clock.sleep(pauseMs * (0.5 + clock.random() / 2), this.#closing.signal)
        pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
      }
    }
    return false
  }
}
