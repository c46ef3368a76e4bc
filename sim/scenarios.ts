// What chance meets too rarely, step by step: each holds for the program as it is, and not for some mutation.
import { PRESETS } from '../packages/server/src/domain/limits.ts'
import { laneOfAuthor, type PostId } from '../packages/server/src/domain/post-id.ts'
import { post, relate } from './operations.ts'
import { walk } from './pages.ts'
import type { Setting } from './setting.ts'
import { finish, quieten, walks } from './verdict.ts'
import type { Violation } from './violation.ts'
import { type Trace, World } from './world.ts'

type Scenario = (world: World, users: readonly number[]) => Promise<void>

const SETTING: Setting = {
  users: 8,
  limits: {
    ...PRESETS['activity-feed'],
    cap: 200,
    slack: 0,
    threshold: 100,
    slice: 1000,
    cutMs: 120_000
  },
  weather: { far: 0, slow: 0, stuck: 0, lossy: 0, lateCommits: 0 },
  partitions: 2,
  pace: 0
}

const small = { ...SETTING, limits: { ...SETTING.limits, cap: 3 } }
const hybrid = { ...SETTING, limits: { ...SETTING.limits, cap: 3, threshold: 3 } }

/** The partition that carries a user's events. */
function partitionOf(user: number): number {
  return laneOfAuthor(user) % 2
}

async function follow(world: World, reader: number, ...authors: readonly number[]): Promise<void> {
  for (const author of authors)
    await finish(world, relate(world, world.chance, 'follow', [reader, author]))
  await quieten(world)
}

async function posts(world: World, author: number, count = 1): Promise<void> {
  const all = Array.from({ length: count }, () => post(world, world.chance, author))
  await finish(world, Promise.all(all))
}

function look(world: World, reader: number, limit = 5): Promise<PostId[] | undefined> {
  return finish(world, walk(world, reader, { limit, pause: () => 1 }, world.chance))
}

async function warm(world: World, reader: number): Promise<void> {
  await look(world, reader)
  await world.run(1000)
  if ((await world.feeds.stateOf(`feed:${reader}`)) !== 'warm')
    throw new Error(`the feed of ${reader} is not warm`)
}

/** Two authors in one partition, and one in the other. */
function authorsOf(users: readonly number[]): { p: number; z: number; q: number } {
  const [p, ...others] = users as [number, ...number[]]
  const z = others.find(user => partitionOf(user) === partitionOf(p))
  const q = others.find(user => partitionOf(user) !== partitionOf(p))
  if (z === undefined || q === undefined) throw new Error('all users share a partition')
  return { p, z, q }
}

/** Posts that were held up stand above newer ones: a page looks deeper than they reach. */
const heldUp: Scenario = async (world, [reader = 0, ...users]) => {
  const { p, q } = authorsOf(users)
  await follow(world, reader, p, q)
  await warm(world, reader)
  world.broker?.held.add(partitionOf(q))
  await posts(world, q, 80)
  await world.run(2000)
  await posts(world, p, 10)
  await world.run(2000)
  world.broker?.held.clear()
  await quieten(world)
  await walks(world, 'some were held up')
}

/** A builder that died frees its list, though people read it all the time. */
const deadBuilder: Scenario = async (world, [reader = 0]) => {
  const list = `feed:${reader}` as const
  const reading = walk(world, reader, { limit: 5, pause: () => 1 }, world.chance)
  while ((await world.feeds.stateOf(list)) !== 'building') await world.run(0.1)
  for (const server of world.servers) if (server.roles.includes('api')) server.machine?.kill()
  await finish(world, reading)
  for (let round = 0; round < 10; round++) {
    await look(world, reader)
    await world.run(3000)
  }
  if ((await world.feeds.stateOf(list)) !== 'warm')
    world.fail('a list is being built for ever', { list })
}

/** The floor of a settled list may lie ahead; once its marker is trimmed away an older id sets a lower one. */
const lowerFloor: Scenario = async (world, [reader = 0, ...users]) => {
  const { p, z, q } = authorsOf(users)
  await follow(world, reader, p, q)
  await warm(world, reader)
  world.broker?.held.add(partitionOf(q))
  await posts(world, q)
  await world.run(7000)
  await posts(world, p, 6)
  await world.run(3000)
  await world.feeds.settle(`feed:${reader}`)
  world.broker?.held.clear()
  await world.run(23_000)
  await posts(world, z)
  await quieten(world)
  await follow(world, reader, z)
  await posts(world, p, 2)
  await quieten(world)
  await walks(world, 'the marker is gone')
}

/** A switch that was decided long ago changes nothing any more. */
const staleSwitch: Scenario = async (world, [star = 0, ...fans]) => {
  const readers = fans.slice(0, 3)
  for (const reader of readers) await follow(world, reader, star)
  const lags = new Map([
    ['v', 150_000],
    ['w', 3000]
  ])
  const delay = () => {
    for (const { name, machine } of world.servers)
      machine?.lag.set('switchDelivery', lags.get(name) ?? 0)
  }
  const deliveryIs = async (wanted: string) => {
    while ((await world.store.deliveryOf([star]))[0]?.delivery !== wanted) await world.run(50)
  }
  await deliveryIs('both')
  delay()
  await deliveryIs('pull')
  lags.clear()
  delay()
  for (const reader of readers.slice(1))
    await finish(world, relate(world, world.chance, 'unfollow', [reader, star]))
  await deliveryIs('push')
  const [reader = 0, other = 0] = readers
  // Too few for a switch up, too many for one down.
  await follow(world, other, star)
  await world.run(60_000)
  await posts(world, star, 5)
  await quieten(world)
  await world.feeds.lose('feed', reader)
  await warm(world, reader)
  await world.run(120_000)
  await posts(world, star)
  await quieten(world)
  await walks(world, 'a switch came late')
}

const SCENARIOS = {
  'held up': [SETTING, heldUp],
  'dead builder': [SETTING, deadBuilder],
  'lower floor': [small, lowerFloor],
  'stale switch': [hybrid, staleSwitch]
} as const satisfies Record<string, readonly [Setting, Scenario]>

export type ScenarioName = keyof typeof SCENARIOS
export const SCENARIO_NAMES = Object.keys(SCENARIOS) as readonly ScenarioName[]

/** What a scenario found; null: it holds. */
export async function play(name: ScenarioName, trace: Trace = () => {}): Promise<Violation | null> {
  const [setting, scenario] = SCENARIOS[name]
  const world = new World(1, setting, trace)
  world.network.weather = setting.weather
  try {
    const users = await finish(world, makeUsers(world))
    for (const server of world.servers) server.start()
    await quieten(world)
    await scenario(world, users)
  } catch (error) {
    if (world.violation === null) throw error
  }
  return world.violation
}

async function makeUsers(world: World): Promise<readonly number[]> {
  const ids = Array.from({ length: world.setting.users }, (_, i) => `user ${i + 1}`)
  for (const { number, id } of await world.store.ensureUsers(ids)) world.users.set(number, id)
  return [...world.users.keys()]
}
