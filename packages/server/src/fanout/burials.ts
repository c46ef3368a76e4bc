import { eventKey, type FeedEvent, type LoggedEvent } from '../domain/event.ts'

/** Users whose events of one type may be given up one after the other. */
const IN_A_ROW = 10

/**
 * Tells an event that can never be handled from a fault that lets every event fail. When the events of many users fail
 * and none succeeds in between, it is the fault of none of them: nothing more is given up until one succeeds. Events of
 * a type are judged by events of their type, as they go the same way.
 */
export interface Burials {
  /** These were handled. */
  worked(events: readonly LoggedEvent[]): void
  /** Whether an event that failed may be given up; then it counts. */
  permits(event: LoggedEvent): boolean
  /** Whether events of this one's type are no longer given up. */
  suspended(event: LoggedEvent): boolean
}

export function createBurials(): Burials {
  const failed = new Map<FeedEvent['type'], Set<number>>()
  const rowOf = ({ event }: LoggedEvent) => failed.get(event.type) ?? new Set()
  return {
    worked(events) {
      for (const { event } of events) failed.delete(event.type)
    },
    permits(event) {
      const row = rowOf(event)
      if (row.size >= IN_A_ROW) return false
      failed.set(event.event.type, row.add(eventKey(event.event)))
      return true
    },
    suspended: event => rowOf(event).size >= IN_A_ROW
  }
}
