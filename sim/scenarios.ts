import { BUILD_SCENARIOS } from './scenarios/builds.ts'
import { DELIVERY_SCENARIOS } from './scenarios/deliveries.ts'
import { LIST_SCENARIOS } from './scenarios/lists.ts'
import { WRITE_SCENARIOS } from './scenarios/writes.ts'
import { finish, quieten } from './verdict.ts'
import type { Violation } from './violation.ts'
import { type Trace, World } from './world.ts'

const SCENARIOS = {
  ...LIST_SCENARIOS,
  ...BUILD_SCENARIOS,
  ...DELIVERY_SCENARIOS,
  ...WRITE_SCENARIOS
} as const

export type ScenarioName = keyof typeof SCENARIOS
export const SCENARIO_NAMES = Object.keys(SCENARIOS) as readonly ScenarioName[]

/** What a scenario found; null: it holds. */
export async function play(name: ScenarioName, trace: Trace = () => {}): Promise<Violation | null> {
  const { setting, run } = SCENARIOS[name]
  const world = new World(1, setting, trace)
  world.network.weather = setting.weather
  try {
    const users = await finish(world, makeUsers(world))
    for (const server of world.servers) server.start()
    await quieten(world)
    await run(world, users)
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
