import { setTimeout as wait } from 'node:timers/promises'

export interface OpenLoop {
  readonly perS: number
  readonly ms: number
  /** Begun at its time whether or not the ones before have ended. */
  act(index: number): Promise<unknown>
  /** Ends it before its time. */
  until?(): boolean
}

export interface LoopResult {
  readonly begun: number
  readonly failed: number
  /**
   * ms from the time at which each was to begin to its end: what a stalled system makes wait counts, also where the
   * generator itself came late (coordinated omission). Of those that did not fail.
   */
  readonly latencies: readonly number[]
  /** How late the latest one began, ms: far above the latencies, the generator was the limit. */
  readonly latestMs: number
}

/** As people do: they come at their own time, not when the one before was answered. */
export async function openLoop({ perS, ms, act, until }: OpenLoop): Promise<LoopResult> {
  const total = Math.max(1, Math.round((perS * ms) / 1000))
  const start = performance.now()
  const latencies: number[] = []
  const flights = new Set<Promise<void>>()
  let [index, failed, latestMs] = [0, 0, 0]
  while (index < total && until?.() !== true) {
    const now = performance.now()
    for (; index < total && start + (index * 1000) / perS <= now; index++) {
      const due = start + (index * 1000) / perS
      latestMs = Math.max(latestMs, now - due)
      const flight = act(index).then(
        () => void latencies.push(performance.now() - due),
        () => void failed++
      )
      flights.add(flight)
      void flight.finally(() => flights.delete(flight))
    }
    await wait(1)
  }
  await Promise.all(flights)
  return { begun: index, failed, latencies, latestMs }
}
