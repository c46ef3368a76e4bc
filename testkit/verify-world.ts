// Readers whose feeds are verified, over stores and Feeds of one process.
import type { VerifyContext } from '../packages/server/src/audit/verify-context.ts'
import { createPager } from '../packages/server/src/page/page.ts'
import { type PageWorld, SILENT } from './page-world.ts'

/** A cap that leaves most posts of `readerWithPast` to the Store. */
export const LOW_CAP = { cap: 50, slack: 0 }

/** By default all events are worked off. */
export function verifyContext(
  world: PageWorld,
  changes: Partial<VerifyContext> = {}
): VerifyContext {
  const { store, feeds, limits } = world
  const still = { telemetry: SILENT, requestBuild() {}, requestSettle() {} }
  const pager = createPager({ ...world, ...still })
  const build = (list: Parameters<VerifyContext['build']>[0]) => world.build(list)
  const none = async () => 0
  return { store, feeds, limits, pager, build, settle: none, pending: none, ...changes }
}

/** A reader with 60 posts of a pushed and 20 of a pulled followee, above and below a cap of 50. */
export async function readerWithPast(world: PageWorld) {
  const [v, a, s] = (await world.users('v', 'a', 's')) as [number, number, number]
  await world.follow(v, a)
  await world.follow(v, s)
  await world.deliverBy(s, 'pull')
  await world.build(`feed:${v}`)
  await world.build(`timeline:${s}`)
  for (let n = 0; n < 80; n++) {
    await world.wait(10_000)
    await world.post(n % 4 === 0 ? s : a)
  }
  return { v, a, s }
}
