import { BEGINNING, END, type PostId } from '../packages/server/src/domain/post-id.ts'
import { turnPages } from './numbered.ts'
import { post } from './operations.ts'
import { walk } from './pages.ts'
import type { World } from './world.ts'

const QUIET_MS = 600_000
const ROUND_MS = 2000
const ALL = 1_000_000
/** Older than any post of a run. */
const FIRST: PostId = '1000000000000000000'

/** Lets everything come to rest. @throws Violation when it does not */
export async function quieten(world: World): Promise<void> {
  const end = world.now + QUIET_MS
  for (;;) {
    await world.run(ROUND_MS)
    if (world.requests === 0 && world.network.jammed === 0 && (await world.isQuiet())) return
    if (world.now > end) world.fail('it does not come to rest', { requests: world.requests })
  }
}

/** Waits for something that takes `limitMs` at most. @throws Violation */
export async function finish<T>(world: World, work: Promise<T>, limitMs = QUIET_MS): Promise<T> {
  let done = false
  const noted = work.finally(() => {
    done = true
  })
  noted.catch(() => {})
  await world.run(limitMs, () => done)
  if (!done) world.fail('a request never ends', {})
  if (world.violation !== null) throw world.violation
  return noted
}

/** At rest every walk equals the oracle: as lists stand, once they are warm, cold, and after a last round of posts. */
export async function judgeAtRest(world: World): Promise<void> {
  await walks(world, 'as it stands')
  await warmUp(world)
  await walks(world, 'warm')
  await turns(world)
  await world.feeds.clear()
  await walks(world, 'cold')
  await world.run(10_000)
  await walks(world, 'rebuilt')
  for (const author of world.users.keys()) await finish(world, post(world, world.chance, author))
  await quieten(world)
  await walks(world, 'after further posts')
  await judgeCounts(world)
}

/** Every reader's numbered pages against the oracle. @throws Violation */
async function turns(world: World): Promise<void> {
  for (const reader of world.readers()) {
    const oracle = await world.store.oracle(reader, END, ALL)
    const turning = turnPages(world, reader, { size: 4, pause: () => 1 }, world.chance)
    const shown = (await finish(world, turning)) ?? oracle
    if (JSON.stringify(shown) !== JSON.stringify(oracle))
      world.fail('numbered pages differ from the oracle', { reader, shown, oracle })
  }
}

/** The same from a post upwards. @throws Violation */
async function climb(
  world: World,
  reader: number,
  oracle: readonly PostId[],
  when: string
): Promise<void> {
  const after = world.chance.pick([FIRST, ...oracle])
  const walking = walk(world, reader, { limit: 3, pause: () => 1, bounds: { after } }, world.chance)
  const shown = (await finish(world, walking)) ?? []
  const wanted = oracle.filter(id => id > after).toReversed()
  if (JSON.stringify(shown) !== JSON.stringify(wanted))
    world.fail('a walk up differs from the oracle', { when, reader, after, shown, wanted })
}

/** Every reader's walks against the oracle. @throws Violation */
export async function walks(world: World, when: string): Promise<void> {
  for (const reader of world.readers()) {
    const oracle = await world.store.oracle(reader, END, ALL)
    for (const limit of [world.chance.pick([1, 2]), 7]) {
      const walking = walk(world, reader, { limit, pause: () => 1 }, world.chance)
      const shown = (await finish(world, walking)) ?? []
      if (JSON.stringify(shown) === JSON.stringify(oracle)) continue
      const lacks = oracle.filter(id => !shown.includes(id))
      const extra = shown.filter(id => !oracle.includes(id))
      world.fail('a walk differs from the oracle', { when, reader, limit, lacks, extra })
    }
    await climb(world, reader, oracle, when)
  }
}

/** A list that is being built gets done, or its builder is given up, while people read it. */
async function warmUp(world: World): Promise<void> {
  const lists = world.readers().map(reader => `feed:${reader}` as const)
  for (let round = 0; round < 4; round++) {
    for (const reader of world.readers())
      await finish(world, walk(world, reader, { limit: 5, pause: () => 1 }, world.chance))
    await world.run(7000)
  }
  for (const list of lists)
    if ((await world.feeds.stateOf(list)) === 'building')
      world.fail('a list is being built for ever', { list })
}

async function judgeCounts(world: World): Promise<void> {
  await world.run(world.gone.size > 0 ? 60_000 : 5000)
  const { store } = world
  const users = [...world.users.keys()]
  const posts = new Map<number, readonly PostId[]>()
  for (const user of users)
    posts.set(user, await store.idsByAuthor(user, END, BEGINNING, ALL, 'kept'))
  for (const { number, counts } of await store.usersByNumbers(users)) {
    const following = await store.follows(users.map(author => ({ reader: number, author })))
    const rows = {
      followers: (await store.followerSlice(number, 0, ALL)).length,
      following: following.filter(Boolean).length,
      posts: posts.get(number)?.length
    }
    for (const [name, count] of Object.entries(rows))
      if (counts[name as keyof typeof counts] !== count)
        world.fail('counts differ from rows', { number, counts, rows })
  }
  const ids = [...posts.values()].flat()
  const shown = await store.likeCounts(ids)
  for (const id of ids) {
    let likes = 0
    for (const user of users) likes += (await store.likedBy(user, [id])).length
    if ((shown.get(id) ?? 0) !== likes)
      world.fail('likes differ from rows', { id, shown: shown.get(id), likes })
  }
  if (world.violation !== null) throw world.violation
}
