// How authors go from being pushed to being merged, and back.
import { quieten, walks } from '../verdict.ts'
import type { World } from '../world.ts'
import {
  ask,
  change,
  deliveryBecomes,
  follow,
  look,
  machine,
  pastPosts,
  posts,
  type Scenario,
  settingWith,
  warm,
  workers
} from './stage.ts'

const hybrid = settingWith({ cap: 10, threshold: 3 })

async function promote(world: World, star: number, fans: readonly number[]): Promise<void> {
  for (const fan of fans.slice(0, 3)) await follow(world, fan, star)
  await deliveryBecomes(world, star, 'pull')
}

async function demote(world: World, star: number, fans: readonly number[]): Promise<void> {
  for (const fan of fans.slice(1, 3)) await change(world, 'unfollow', fan, star)
  await deliveryBecomes(world, star, 'push')
}

/** A switch that was decided long ago changes nothing any more. */
const staleSwitch: Scenario = {
  setting: settingWith({ cap: 3, threshold: 3 }),
  async run(world, [star = 0, ...fans]) {
    const [reader = 0, other = 0] = fans
    for (const fan of fans.slice(0, 3)) await follow(world, fan, star)
    await deliveryBecomes(world, star, 'both')
    machine(world, 'v').lag.set('switchDelivery', 150_000)
    machine(world, 'w').lag.set('switchDelivery', 3000)
    await deliveryBecomes(world, star, 'pull')
    for (const { lag } of workers(world)) lag.clear()
    await demote(world, star, fans)
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
}

/** What was not pushed while an author was pulled is merged when they are pushed again. */
const demoted: Scenario = {
  setting: hybrid,
  async run(world, [star = 0, ...fans]) {
    const [reader = 0] = fans
    await promote(world, star, fans)
    await warm(world, reader)
    await posts(world, star, 2)
    await quieten(world)
    await demote(world, star, fans)
    await world.run(3000)
    await walks(world, 'the author is pushed again')
  }
}

/** Posts from the time in which an author was pushed are in the timeline of which later followers read. */
const promotedAgain: Scenario = {
  setting: hybrid,
  async run(world, [star = 0, late = 0, ...fans]) {
    await promote(world, star, fans)
    for (const fan of fans.slice(0, 3)) await warm(world, fan)
    for (const fan of fans.slice(0, 3)) await look(world, fan)
    await world.run(2000)
    await demote(world, star, fans)
    await posts(world, star, 2)
    await quieten(world)
    await warm(world, late)
    await promote(world, star, fans)
    await follow(world, late, star)
    await walks(world, 'somebody follows the author now')
  }
}

/** As long as readers may go by rules that do not name the author, posts are pushed. */
const bothWays: Scenario = {
  setting: hybrid,
  async run(world, [star = 0, ...fans]) {
    const [reader = 0, second = 0, third = 0] = fans
    for (const fan of [reader, second]) await follow(world, fan, star)
    await warm(world, reader)
    await look(world, reader)
    for (const { lag } of workers(world)) lag.set('switchDelivery', 10_000)
    await follow(world, third, star)
    for (const { lag } of workers(world)) lag.clear()
    for (const { lag } of workers(world)) lag.set('dropRules', 15_000)
    await deliveryBecomes(world, star, 'both')
    await posts(world, star)
    await world.run(3000)
    if ((await world.store.deliveryOf([star]))[0]?.delivery !== 'both')
      throw new Error('the switch was confirmed too soon')
    await walks(world, 'rules are older than the switch')
  }
}

/** Who is pulled and dies before the own push has the post in the own feed all the same. */
const ownFeed: Scenario = {
  setting: hybrid,
  async run(world, [star = 0, ...fans]) {
    await promote(world, star, fans)
    await warm(world, star)
    machine(world, 'a').doom = { calls: 1, name: 'publish', when: 'after' }
    await ask(world, 'a', feed =>
      feed.as(world.users.get(star) ?? '').createPost({ content: 'last words' })
    )
    await quieten(world)
    await walks(world, 'the server is gone')
  }
}

/** Pushing ends when all readers merge the author. */
const promoted: Scenario = {
  setting: hybrid,
  async run(world, [star = 0, ...fans]) {
    const [reader = 0, second = 0, third = 0] = fans
    for (const fan of [reader, second]) await follow(world, fan, star)
    await warm(world, reader)
    await look(world, reader)
    await follow(world, third, star)
    await deliveryBecomes(world, star, 'pull')
    await pastPosts(world, star)
    await walks(world, 'the author is merged')
  }
}

/** A post reaches followers slice by slice. */
const slices: Scenario = {
  setting: settingWith({ slice: 2 }),
  async run(world, [author = 0, ...fans]) {
    for (const fan of fans) await follow(world, fan, author)
    for (const fan of fans) await warm(world, fan)
    await pastPosts(world, author)
    await walks(world, 'a post came')
  }
}

export const DELIVERY_SCENARIOS = {
  'stale switch': staleSwitch,
  demoted,
  promoted,
  slices,
  'promoted again': promotedAgain,
  'both ways': bothWays,
  'own feed': ownFeed
} as const
