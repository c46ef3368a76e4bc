import type { LoggedEvent } from '../../domain/event.ts'
import { LANES } from '../../domain/post-id.ts'
import type { EventLog } from '../../ports/event-log.ts'
import { type LaneLimits, LaneQueue } from './lane-queue.ts'

const LIMITS: LaneLimits = { batchMax: 500, waitingMax: 2000 }

/**
 * An event log within the process, fed by the durable outbox: an append resolves when the work of its events is
 * done, and rejects when it failed, so that the relay appends them again. A lane is what a partition is in Kafka.
 */
export function createMemoryEventLog(limits: Partial<LaneLimits> = {}): EventLog {
  const all = { ...LIMITS, ...limits }
  const lanes = Array.from({ length: LANES }, (_, lane) => new LaneQueue(lane, all))
  let consumed = false
  let disposed = false

  function queue(lane: number): LaneQueue {
    const found = lanes[lane]
    if (found === undefined) throw new RangeError(`lane ${lane} is outside 0..${LANES - 1}`)
    return found
  }

  return {
    async append(events) {
      if (disposed) throw new Error('The event log is closed')
      const parts = [...byLane(events)].map(([lane, part]) => ({ to: queue(lane), part }))
      await drainAll(parts.map(({ to, part }) => to.append(part)))
    },
    async consume(open) {
      if (consumed) throw new Error('The event log is consumed already')
      consumed = true
      for (const lane of lanes) lane.consume(open)
    },
    async release(released) {
      const reason = new Error('The lane was released')
      await drainAll(released.map(lane => queue(lane).release(reason)))
    },
    takeOver: (lane, past) => queue(lane).takeOver(past),
    pending: async () => lanes.reduce((sum, lane) => sum + lane.pending, 0),
    async [Symbol.asyncDispose]() {
      disposed = true
      const reason = new Error('The event log was closed')
      await drainAll(lanes.map(lane => lane.release(reason)))
    }
  }
}

function byLane(events: readonly LoggedEvent[]): Map<number, LoggedEvent[]> {
  const lanes = new Map<number, LoggedEvent[]>()
  for (const event of events) {
    const lane = lanes.get(event.lane)
    if (lane === undefined) lanes.set(event.lane, [event])
    else lane.push(event)
  }
  return lanes
}

/** Waits for all, also when one fails; then throws the first failure. */
async function drainAll(work: readonly Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(work)
  const failed = results.find(result => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}
