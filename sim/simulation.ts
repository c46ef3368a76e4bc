import { Chance } from './chance.ts'
import { FAULTS } from './faults.ts'
import { START_MS } from './machine.ts'
import { OPERATIONS } from './operations.ts'
import { walk } from './pages.ts'
import { lengthOf, planOf, type Setting, type Step, settingOf } from './setting.ts'
import { finish, judgeAtRest, quieten } from './verdict.ts'
import type { Violation } from './violation.ts'
import { type Trace, World } from './world.ts'

export interface RunOptions {
  readonly seed: number
  /** Operations and faults; by default the seed decides how many. */
  readonly steps?: number
  /** Indexes of steps that are left out. */
  readonly skip?: ReadonlySet<number>
  readonly trace?: Trace
}

export interface Report {
  readonly violation: Violation | null
  readonly effects: number
  /** Of virtual time. */
  readonly seconds: number
}

/** Longer than the window of a list. */
const SETTLE_MS = 45_000
/** No plan takes so long. */
const PLAN_MS = 100_000_000

/** One run: a past, steps at random, rest, and a verdict. The same options give the same run. */
export async function simulate(options: RunOptions): Promise<Report> {
  const { seed, steps = lengthOf(seed), skip = new Set(), trace = () => {} } = options
  const setting = settingOf(seed)
  const world = new World(seed, setting, trace)
  const plan = planOf(seed, steps).filter(({ index }) => !skip.has(index))
  let violation: Violation | null = null
  try {
    await begin(world, setting)
    await act(world, plan)
    await judgeAtRest(world)
  } catch (error) {
    if (world.violation === null) throw error
    violation = world.violation
  }
  return { violation, effects: world.scheduler.effects, seconds: world.now / 1000 }
}

/** Users with follows, posts and warm feeds. */
export async function begin(world: World, setting: Setting): Promise<void> {
  const ids = Array.from({ length: setting.users }, (_, i) => `user ${i + 1}`)
  await finish(world, populate(world, ids))
  for (const server of world.servers) server.start()
  await quieten(world)
  for (const reader of world.users.keys())
    await finish(world, walk(world, reader, { limit: 3, pause: () => 1 }, world.chance))
}

async function populate(world: World, ids: readonly string[]): Promise<void> {
  const { chance, store, ledger } = world
  for (const { number, id } of await store.ensureUsers(ids)) world.users.set(number, id)
  const users = [...world.users.keys()]
  for (const reader of users) {
    for (const author of users.filter(author => author !== reader)) {
      ledger.begin([{ fact: `apart ${reader} ${author}`, on: true }], -1).ack(-1)
      if (chance.happens(0.5)) continue
      await store.follow(reader, author)
      ledger.begin([{ fact: `apart ${reader} ${author}`, on: false }], 0).ack(0)
    }
    await store.importPosts(past(world, reader))
  }
}

function past({ chance }: World, author: number) {
  const length = chance.pick([0, 1, 3, 8])
  return Array.from({ length }, () => {
    const createdAt = START_MS - chance.pick([5000, 40_000, 900_000]) * chance.next()
    return { author, content: 'past', attrs: {}, createdAt, externalId: null }
  })
}

/** Steps and faults, one after the other and over each other; then everything is healed and comes to rest. */
export async function act(world: World, plan: readonly Step[]): Promise<void> {
  world.calm = false
  world.network.weather = world.setting.weather
  const watching = watch(world)
  await finish(world, walkThrough(world, plan), PLAN_MS)
  world.heal()
  await finish(world, watching)
  await quieten(world)
  await world.run(SETTLE_MS)
  world.feeds.trust()
  await quieten(world)
}

async function walkThrough(world: World, plan: readonly Step[]): Promise<void> {
  for (const { kind, seed, pause, index } of plan) {
    await world.pause(pause)
    world.say(`STEP ${index} ${kind}`)
    const run = OPERATIONS[kind] ?? FAULTS[kind]
    if (run === undefined) throw new Error(`no step ${kind}`)
    const work = run(world, new Chance(seed))
    if (kind === 'rest') await work
    else void work.catch(error => world.fail('a step failed', String(error.stack ?? error)))
  }
}

/** Follows are settled as soon as all events behind them are worked off; somebody reads all the time. */
async function watch(world: World): Promise<void> {
  const chance = new Chance(world.chance.below(2 ** 31))
  while (!world.calm) {
    await world.pause(chance.between(500, 3000))
    if (await world.isQuiet()) world.ledger.settle(world.now)
    const reader = chance.pick([...world.users.keys()])
    if (!world.calm) await walk(world, reader, { limit: 6, pause: () => 5 }, chance)
  }
}
