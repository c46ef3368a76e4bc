import { FLIGHT_MS } from '../packages/server/src/domain/limits.ts'
import type { Change, Feeds, ListKey, Push, Pushed } from '../packages/server/src/ports/feeds.ts'
import type { FeedsServer } from './feeds-server.ts'
import type { Machine } from './machine.ts'
import type { Network } from './network.ts'

type Listener = (change: Change) => void

/**
 * One process's view of the Feeds server. A push is one command per list, each with a way of its own; whether an id is
 * late is decided as it sets off. A list whose answer took too long is dropped before the push resolves.
 */
export function createFeedsClient(server: FeedsServer, machine: Machine, network: Network): Feeds {
  const channel = createChannel(server, machine, network)
  const perform = <T>(name: string, work: (feeds: Feeds) => Promise<T>) =>
    machine.call(() => server.perform(machine, work), { name })
  const drop = (lists: readonly ListKey[]) =>
    machine.call(() => server.perform(machine, () => server.drop(lists)), { name: 'drop' })

  async function pushOne(list: ListKey, pushes: readonly Push[]): Promise<readonly Pushed[]> {
    const { scheduler } = network
    const sentAt = scheduler.now
    const land = () => server.push(pushes, sentAt, FLIGHT_MS)
    const pushed = await machine.call(() => server.perform(machine, land), {
      name: `push ${list}`,
      jam: network.jam(),
      // What a dead process has sent is lost if it takes longer.
      outlives: () => scheduler.now - sentAt <= FLIGHT_MS
    })
    if (scheduler.now - sentAt <= FLIGHT_MS) return pushed
    await drop([list])
    return pushed.map(() => 'dropped')
  }

  async function push(pushes: readonly Push[]): Promise<readonly Pushed[]> {
    const became = new Map<Push, Pushed>()
    const lists = [...Map.groupBy(pushes, ({ list }) => list)]
    const landed = await Promise.allSettled(
      lists.map(async ([list, part]) => {
        const answers = await pushOne(list, part)
        for (const [i, one] of part.entries()) became.set(one, answers[i] ?? 'cold')
      })
    )
    for (const one of landed) if (one.status === 'rejected') throw one.reason
    return pushes.map(one => became.get(one) ?? 'cold')
  }

  return {
    push,
    take: (list, below, limit) => perform('take', feeds => feeds.take(list, below, limit)),
    lowestFloor: list => perform('lowestFloor', feeds => feeds.lowestFloor(list)),
    begin: (list, token) => perform('begin', feeds => feeds.begin(list, token)),
    finish: (list, token, ids, complete) =>
      perform('finish', feeds => feeds.finish(list, token, ids, complete)),
    settle: list => perform('settle', feeds => feeds.settle(list)),
    drop,
    remove: (list, ids) => perform('remove', feeds => feeds.remove(list, ids)),
    clear: () => machine.call(() => server.perform(machine, () => server.clear())),
    adopt: epoch => perform('adopt', feeds => feeds.adopt(epoch)),
    rules: reader => perform('readRules', feeds => feeds.rules(reader)),
    fillRules: (reader, lease, rules) =>
      perform('fillRules', feeds => feeds.fillRules(reader, lease, rules)),
    session: (reader, id, part) => perform('session', feeds => feeds.session(reader, id, part)),
    extendSession: (reader, id, length, ids) =>
      perform('extendSession', feeds => feeds.extendSession(reader, id, length, ids)),
    dropRules: readers => perform('dropRules', feeds => feeds.dropRules(readers)),
    ...channel,
    expire: () => perform('expire', feeds => feeds.expire()),
    stats: () => perform('stats', feeds => feeds.stats()),
    async [Symbol.asyncDispose]() {}
  }
}

/** Messages reach each process in their order, a little later. */
function createChannel(
  server: FeedsServer,
  machine: Machine,
  network: Network
): Pick<Feeds, 'announce' | 'subscribe' | 'inStep'> {
  const listeners: Listener[] = []
  let heard = server.messages.length

  function hear(count: number): void {
    for (; heard < count; heard++)
      for (const listener of listeners) listener(server.messages[heard]?.change ?? {})
  }

  server.onMessage(() => {
    const count = server.messages.length
    const ms = network.hop() + (machine.lag.get('hear') ?? 0)
    network.scheduler.after(ms, () => machine.act(() => hear(count)))
  })
  return {
    async announce(change) {
      hear(
        await machine.call(() => server.perform(machine, async () => server.announce(change)), {
          name: 'announce'
        })
      )
    },
    subscribe(listener) {
      listeners.push(listener)
    },
    inStep: () => !server.frozen && heard >= server.heardByNow()
  }
}
