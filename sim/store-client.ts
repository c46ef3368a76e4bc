import type { Lanes, Store } from '../packages/server/src/ports/store.ts'
import type { Machine } from './machine.ts'
import type { Network } from './network.ts'

type Method = (...args: unknown[]) => Promise<unknown>

/** One process's connections to the Store. */
export interface StoreClient {
  readonly store: Store
  /** The Store ends its sessions, as it does when the process is dead: lanes are free. */
  loseSessions(): Promise<void>
}

/** Every method takes its way there and back. */
function remote<T extends object>(plain: T, machine: Machine, special: Partial<T>): T {
  return new Proxy(plain, {
    get(_, name) {
      const replaced = Reflect.get(special, name)
      if (replaced !== undefined) return replaced
      const method = Reflect.get(plain, name) as Method | undefined
      if (method === undefined) return undefined
      return (...args: unknown[]) =>
        machine.call(() => method.apply(plain, args), { name: String(name) })
    }
  })
}

export function createStoreClient(plain: Store, machine: Machine, network: Network): StoreClient {
  const sessions = new Set<Lanes>()
  const end = async (lanes: Lanes) => {
    sessions.delete(lanes)
    await lanes[Symbol.asyncDispose]()
  }
  const openLanes = () =>
    machine.call(async () => {
      const lanes = await plain.openLanes()
      sessions.add(lanes)
      return remote(lanes, machine, {
        // A connection that is closed ends its session, whatever gets lost.
        [Symbol.asyncDispose]: async () =>
          network.scheduler.after(network.hop(), () => void end(lanes))
      })
    })
  return {
    store: remote(plain, machine, {
      openLanes,
      onOutbox: listener =>
        plain.onOutbox(() => network.scheduler.after(network.hop(), () => machine.act(listener))),
      [Symbol.asyncDispose]: async () => {}
    }),
    async loseSessions() {
      for (const lanes of [...sessions]) await end(lanes)
    }
  }
}
