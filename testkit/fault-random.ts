// Processes that are killed or put to sleep at random, one after the other.
import type { TestContext } from 'node:test'
import type { Random } from '../packages/server/src/cli/generate/random.ts'
import type { Server } from '../scripts/services/server.ts'
import type { Service } from '../scripts/services/service.ts'
import { pause } from './faults.ts'
import type { Fleet } from './fleet.ts'

/** Longest time that one is away when others are to be broken after it, ms. */
const AWAY_MS = 4500

/** Longest rest between two faults, ms. */
const REST_MS = 1500

export interface Victim {
  readonly name: string
  kill(): Promise<void>
  /** Starts what was killed. */
  start(): Promise<void>
  sleep(): void
  wake(): void
}

function victimOf(server: Server, start: () => Promise<void>): Victim {
  return {
    name: server.name,
    kill: () => server.kill(),
    start,
    sleep: () => server.pause(),
    wake: () => server.resume()
  }
}

export function membersOf({ members }: Fleet): Victim[] {
  return members.map(member => victimOf(member.server, () => member.start()))
}

export function serversOf(...services: readonly Service[]): Victim[] {
  return services.flatMap(({ servers }) =>
    servers.map(server => victimOf(server, () => server.start()))
  )
}

/** Everybody once, in an order of chance, and again, until the time is over. */
export async function breakInTurn(
  t: TestContext,
  random: Random,
  victims: readonly Victim[],
  forMs: number
): Promise<void> {
  const end = performance.now() + forMs
  const queue: Victim[] = []
  while (performance.now() < end) {
    if (queue.length === 0) queue.push(...victims.toSorted(() => random.next() - 0.5))
    await breakOnce(t, random, queue.pop() as Victim)
    await pause(random.index(REST_MS))
  }
}

async function breakOnce(t: TestContext, random: Random, victim: Victim): Promise<void> {
  const ms = 500 + random.index(AWAY_MS - 500)
  if (random.next() < 0.5) return sleepFor(t, victim, ms)
  t.diagnostic(`kill -9 ${victim.name} for ${ms} ms`)
  await victim.kill()
  await pause(ms)
  await victim.start()
}

export async function sleepFor(t: TestContext, victim: Victim, ms: number): Promise<void> {
  t.diagnostic(`SIGSTOP ${victim.name} for ${ms} ms`)
  victim.sleep()
  await pause(ms)
  victim.wake()
}
