import { createMemoryEventLog } from '../packages/server/src/adapters/memory/event-log.ts'
import type { Role } from '../packages/server/src/config.ts'
import type { LoggedEvent } from '../packages/server/src/domain/event.ts'
import type { Limits } from '../packages/server/src/domain/limits.ts'
import { createFeed, type Feed, type Ports } from '../packages/server/src/feed.ts'
import type { EventHandler, EventLog } from '../packages/server/src/ports/event-log.ts'
import type { Store } from '../packages/server/src/ports/store.ts'
import type { Fields, Level } from '../packages/server/src/ports/telemetry.ts'
import { ROLE_LOOPS } from '../packages/server/src/roles.ts'
import type { Broker } from './broker.ts'
import { createBrokerClient } from './broker-client.ts'
import { createFeedsClient } from './feeds-client.ts'
import type { FeedsServer } from './feeds-server.ts'
import { Machine } from './machine.ts'
import type { Network } from './network.ts'
import { createStoreClient, type StoreClient } from './store-client.ts'

export const SECRET = 'simulated'

/** What all processes share. */
export interface Shared {
  readonly network: Network
  readonly store: Store
  readonly feeds: FeedsServer
  /** Null: each process has a log in its memory, fed by the lanes that it holds. */
  readonly broker: Broker | null
  /** Those that a process starts with. */
  readonly limits: () => Limits
  /** Told when the work of events is done. */
  readonly onHandled: (events: readonly LoggedEvent[]) => void
  /** Told what a process logs and counts. */
  readonly onLog: (server: Server, level: Level, message: string, fields: Fields) => void
}

/** A server of the product: its stages and roles as they are, on ports that a run controls. It may be started anew. */
export class Server {
  readonly name: string
  readonly roles: readonly Role[]
  readonly #shared: Shared
  #running: { machine: Machine; feed: Feed; client: StoreClient; log: EventLog } | null = null
  #starts = 0

  constructor(name: string, roles: readonly Role[], shared: Shared) {
    this.name = name
    this.roles = roles
    this.#shared = shared
  }

  /** Null while it is down. */
  get machine(): Machine | null {
    return this.#running?.machine.alive ? this.#running.machine : null
  }

  get feed(): Feed | null {
    return this.machine === null ? null : (this.#running?.feed ?? null)
  }

  /** Events in the memory of its log. */
  async pending(): Promise<number> {
    if (this.#shared.broker !== null || this.machine === null) return 0
    return (await this.#running?.log.pending()) ?? 0
  }

  start(): void {
    const { network, feeds, broker } = this.#shared
    const limits = this.#shared.limits()
    const seed = network.chance.below(2 ** 31)
    const machine = new Machine(`${this.name}.${++this.#starts}`, network, seed)
    feeds.connect(machine, limits)
    const client = createStoreClient(this.#shared.store, machine, network)
    const log = broker === null ? createMemoryEventLog() : createBrokerClient(broker, machine)
    const ports: Ports = {
      store: client.store,
      feeds: createFeedsClient(feeds, machine, network),
      log: watched(log, this.#shared.onHandled),
      clock: machine.clock,
      telemetry: {
        log: (level, message, fields = {}) => this.#shared.onLog(this, level, message, fields),
        count() {},
        gauge() {},
        observe() {}
      }
    }
    const options = { limits, secret: SECRET, mode: 'simulated', roles: this.roles, seen() {} }
    const feed = createFeed(ports, options)
    this.#running = { machine, feed, client, log }
    const seen = { note() {}, take: () => [] }
    // A janitor that mends would hide what is to be found.
    const context = { ...ports, limits, seen, worker: machine.name, sample: async () => 0 }
    for (const role of this.roles) void ROLE_LOOPS[role](context)
    void machine.died.then(() => this.#bury(client))
  }

  /** The Store notices after a while that the process is gone; later it is started anew. */
  #bury(client: StoreClient): void {
    const { scheduler, chance } = this.#shared.network
    scheduler.after(chance.between(0, 5000), () => void client.loseSessions())
    scheduler.after(chance.between(100, 20_000), () => {
      if (this.machine === null) this.start()
    })
  }

  /** Its database sessions end while it goes on. */
  loseSessions(): void {
    void this.#running?.client.loseSessions()
  }
}

/** Tells when handlers have done their work. */
function watched(log: EventLog, onHandled: Shared['onHandled']): EventLog {
  const watch = (handler: EventHandler): EventHandler => ({
    ...handler,
    async handle(events) {
      await handler.handle(events)
      onHandled(events)
    }
  })
  return new Proxy(log, {
    get(_, name) {
      if (name === 'consume')
        return (open: (lane: number) => EventHandler) => log.consume(lane => watch(open(lane)))
      return Reflect.get(log, name)
    }
  })
}
