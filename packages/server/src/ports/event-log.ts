import type { LoggedEvent } from '../domain/event.ts'

/**
 * The ordered, partitioned log between relay and workers. What is assigned to a process and has a handler there is a
 * lane, or, in a log with partitions of its own, one of these: a number in either case. Events of one author or reader
 * stay in one of them and are handled one batch after the other, in the order they were appended; they do not wait for
 * each other. At least once.
 */
export interface EventLog extends AsyncDisposable {
  /**
   * Resolves when the events are safe: acknowledged by all replicas, or (in memory) when a worker has done their work.
   * Rejects when that is not known; appending them again is right then. Events of one author keep their order.
   * @throws EventTooLargeError when the log can never take one of them: appending it again is of no use.
   */
  append(events: readonly LoggedEvent[]): Promise<void>
  /** Starts handling events. `open` is called once for each assignment of a lane (or partition) to this process. */
  consume(open: (lane: number) => EventHandler): Promise<void>
  /**
   * These lanes of the outbox now belong to another process. Where they are what is assigned, their handlers are closed
   * and forget what they hold; a log that assigns partitions by itself has nothing to do.
   */
  release(lanes: readonly number[]): Promise<void>
  /**
   * This process took a lane that another one may have worked on: its handler recovers. Resolves when that is done;
   * rejects to be asked again, before anything of the lane is appended. Absent where lanes are not what is assigned.
   */
  takeOver?(lane: number, past: Takeover): Promise<void>
  /**
   * Events appended whose work is not done: of this process, or, in a log that outlives it, of all.
   * @throws when the log can't be reached.
   */
  pending(): Promise<number>
  /**
   * Records that were no events and were laid aside, the oldest ones, at most `limit`. Absent where nothing else gets
   * into the log. @throws when the log can't be reached.
   */
  deadRecords?(limit: number): Promise<readonly DeadRecord[]>
  /** Forgets those up to a position, that included. @throws when the log can't be reached. */
  dropDeadRecords?(position: string): Promise<void>
}

/** A record that was no event. What made it has to append events: it can't be retried. */
export interface DeadRecord {
  /** Where it lies among its kind, as a decimal number. */
  readonly position: string
  readonly reason: string
  /** Where it was in the log. */
  readonly partition: number
  readonly offset: string
  readonly key: string
  readonly value: string
}

export interface EventHandler {
  /**
   * Called once, before the first batch, when a predecessor may have left writes under way; rejects to be called again.
   * Nothing is handled before it resolves.
   */
  recover?(past: Takeover): Promise<void>
  /** Resolves when the work of every event is done; rejects to get the same events again. */
  handle(events: readonly LoggedEvent[]): Promise<void>
  /** Resolves when nothing is written any more; a batch at work may end half-done, its next owner does it again. */
  close(): Promise<void>
}

/** What a new owner finds in a lane or partition. */
export interface Takeover {
  /** The newest events whose work was reported done, a few seconds back; oldest first. */
  readonly done: readonly LoggedEvent[]
  /** Events that a predecessor may have had in work; `handle` gets them again. */
  readonly ahead: readonly LoggedEvent[]
}

/** An event that the log can never take. */
export class EventTooLargeError extends Error {
  readonly event: LoggedEvent

  constructor(event: LoggedEvent, bytes: number) {
    super(`Event ${event.id} takes ${bytes} bytes in the log, and that is more than it allows`)
    this.name = 'EventTooLargeError'
    this.event = event
  }
}
