import type { Chance } from './chance.ts'
import type { StepKind } from './kinds.ts'
import type { Operation } from './operations.ts'
import type { Server } from './server.ts'
import type { World } from './world.ts'

/** Clocks of the Store, of Feeds and of processes stay this near to true time, in ms. */
const CLOCK_MS = 2000
/** No process stands still longer than this, in ms. */
const FROZEN_MS = 40_000

/** Methods of the ports around which it matters who comes first. */
const METHODS = [
  ...['publish', 'follow', 'unfollow', 'block', 'mute', 'hide', 'deletePost', 'setStatus'],
  ...['homeIds', 'idsByAuthor', 'rules', 'follows', 'followerSlice', 'stampCuts', 'deliveryOf'],
  ...['switchDelivery', 'inBoth', 'unpublished', 'markPublished', 'removeCut', 'postsByIds'],
  ...['take', 'begin', 'finish', 'lowestFloor', 'readRules', 'fillRules', 'dropRules', 'settle'],
  ...['drop', 'hear', 'announce', 'append', 'push']
] as const

function anyServer(world: World, chance: Chance): Server {
  return chance.pick(world.servers)
}

async function crash(world: World, chance: Chance): Promise<void> {
  const server = anyServer(world, chance)
  world.say(`crash ${server.name}`)
  server.machine?.kill()
}

function anyMethod(world: World, chance: Chance): string {
  const method = chance.pick(METHODS)
  if (method !== 'push') return method
  const kind = chance.pick(['feed', 'feed', 'timeline'] as const)
  return `push ${kind}:${chance.pick([...world.users.keys()])}`
}

/** Dies right before or after one of its next effects, be it any or of one kind. */
async function doom(world: World, chance: Chance): Promise<void> {
  const server = anyServer(world, chance)
  const when = chance.pick(['before', 'after'] as const)
  const one = { calls: 1, name: anyMethod(world, chance), when }
  const next = chance.happens(0.6) ? one : { calls: 1 + chance.below(25), when }
  world.say(`doom ${server.name} ${JSON.stringify(next)}`)
  if (server.machine !== null) server.machine.doom = next
}

/** Calls of one kind, or their answers, take long for a while. */
async function lag(world: World, chance: Chance): Promise<void> {
  const method = anyMethod(world, chance)
  const way = chance.pick(['lag', 'lagBack'] as const)
  const ms = chance.pick([300, 1000, 3000, 12_000])
  world.say(`${way} ${method} ${ms}`)
  const machines = world.servers.flatMap(({ machine }) => machine ?? [])
  const slow = chance.happens(0.5) ? machines : machines.slice(0, 1)
  for (const machine of slow) machine[way].set(method, ms)
  await world.pause(chance.between(100, 15_000))
  for (const machine of slow) machine[way].delete(method)
}

async function freeze(world: World, chance: Chance): Promise<void> {
  const { name, machine } = anyServer(world, chance)
  world.say(`freeze ${name}`)
  machine?.freeze()
  await world.pause(chance.between(200, FROZEN_MS))
  machine?.thaw()
}

async function clock(world: World, chance: Chance): Promise<void> {
  const offset = chance.between(-CLOCK_MS, CLOCK_MS)
  const whose = chance.pick(['store', 'feeds', 'machine'] as const)
  world.say(`clock of ${whose} ${offset}`)
  if (whose === 'store') world.storeOffset = offset
  else if (whose === 'feeds') world.feeds.shift(offset)
  else {
    const { machine } = anyServer(world, chance)
    if (machine !== null) machine.offset = offset
  }
}

async function expire(world: World, chance: Chance): Promise<void> {
  const user = chance.pick([...world.users.keys()])
  const what = chance.pick(['feed', 'timeline', 'rules'] as const)
  world.say(`expire ${what} ${user}`)
  await world.feeds.lose(what, user)
}

/** Its last writes are gone when it is back. */
async function failover(world: World, chance: Chance): Promise<void> {
  const comeBack = world.feeds.snapshot()
  await world.pause(chance.between(500, 5000))
  world.say('failover')
  await comeBack()
}

async function stall(world: World, chance: Chance): Promise<void> {
  world.say('stall')
  world.feeds.freeze()
  await world.pause(chance.between(500, FROZEN_MS))
  world.feeds.thaw(end => chance.below(end))
}

/** Many calls fail for a while. */
async function storm(world: World, chance: Chance): Promise<void> {
  world.say('storm')
  const { weather } = world.network
  world.network.weather = { ...weather, lossy: 0.2 }
  await world.pause(chance.between(500, 8000))
  if (!world.calm) world.network.weather = weather
}

async function session(world: World, chance: Chance): Promise<void> {
  const server = anyServer(world, chance)
  world.say(`lose sessions of ${server.name}`)
  server.loseSessions()
}

async function rebalance(world: World, chance: Chance): Promise<void> {
  const { broker } = world
  if (broker === null) return
  const partition = chance.below(broker.size)
  world.say(`rebalance ${partition}`)
  await broker.rebalance(partition)
}

/** Events come again: the log forgot an offset, or the outbox is published anew. */
async function replay(world: World, chance: Chance): Promise<void> {
  const { broker } = world
  world.say('replay')
  if (broker === null || chance.happens(0.3)) await world.store.republish(chance.between(1000, 1e6))
  else broker.rewind(chance.below(broker.size), 1 + chance.below(5))
}

/** Waits until all events are worked off, or for a while. */
async function rest(world: World, chance: Chance): Promise<void> {
  await world.pause(chance.pick([5000, 20_000, 60_000]))
}

export const FAULTS: Partial<Record<StepKind, Operation>> = {
  crash,
  doom,
  lag,
  freeze,
  clock,
  expire,
  flush: world => world.feeds.clear(),
  failover,
  stall,
  storm,
  session,
  rebalance,
  replay,
  rest,
  epoch: world => world.store.raiseEpoch()
}
