// Time in which nobody works off what is written: it waits in the outbox.
import type { ServerOptions } from '../testkit/server.ts'
import type { World } from './world.ts'

/**
 * Does something while there is no relay and no worker, and brings them back. Lists in Redis outlive it; those in memory
 * are gone with the server.
 */
export async function whileWorkersAreAway(
  world: World,
  work: () => Promise<void>,
  back: ServerOptions = {}
): Promise<void> {
  await world.restart({ settings: { roles: 'api' } })
  await work()
  await world.restart(back)
}
