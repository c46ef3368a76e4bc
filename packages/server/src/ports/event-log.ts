import type { LoggedEvent } from '../domain/event.ts'

/**
 * The ordered, partitioned log between relay and workers. Events of one lane are handled one batch after the other,
 * in the order they were appended; lanes do not wait for each other. At least once.
 */
export interface EventLog extends AsyncDisposable {
  /**
   * Resolves when the events are safe: acknowledged by all replicas, or (in memory) when a worker has done their work.
   * Rejects when that is not known; appending them again is right then. Events of one lane keep their order.
   */
  append(events: readonly LoggedEvent[]): Promise<void>
  /** Starts handling events. `open` is called once for each assignment of a lane to this process. */
  consume(open: (lane: number) => EventHandler): Promise<void>
  /** These lanes now belong to another process: their handlers are closed and forget what they hold. */
  release(lanes: readonly number[]): Promise<void>
  /** Events appended whose work is not done, as far as this process knows. */
  pending(): number
}

export interface EventHandler {
  /** Resolves when the work of every event is done; rejects to get the same events again. */
  handle(events: readonly LoggedEvent[]): Promise<void>
  close(): Promise<void>
}
