// How lists in arrival order are read.
import { quieten, walks } from '../verdict.ts'
import {
  authorsOf,
  follow,
  importPosts,
  partitionOf,
  pastPosts,
  posts,
  type Scenario,
  settingWith,
  warm,
  workers
} from './stage.ts'

/** A page looks deeper than posts reach that were held up and stand above newer ones. */
const heldUp: Scenario = {
  setting: settingWith({}),
  async run(world, [reader = 0, ...users]) {
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
}

/** A trimmed list claims nothing within the window above its oldest id. */
const trimmed: Scenario = {
  setting: settingWith({ cap: 3 }),
  async run(world, [reader = 0, ...users]) {
    const { p, q } = authorsOf(users)
    await follow(world, reader, p, q)
    await warm(world, reader)
    world.broker?.held.add(partitionOf(q))
    await posts(world, q)
    await world.run(1000)
    await posts(world, p, 5)
    await world.run(3000)
    world.broker?.held.clear()
    await quieten(world)
    await walks(world, 'the marker is gone')
  }
}

/** The floor of a settled list may lie ahead; once its marker is trimmed away an older id sets a lower one. */
const lowerFloor: Scenario = {
  setting: settingWith({ cap: 3 }),
  async run(world, [reader = 0, ...users]) {
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
}

/** A post that comes late does not lower the floor of its list. */
const late: Scenario = {
  setting: settingWith({ cap: 3 }),
  async run(world, [reader = 0, ...users]) {
    const { p, q } = authorsOf(users)
    await follow(world, reader, p, q)
    await warm(world, reader)
    world.broker?.held.add(partitionOf(q))
    await posts(world, q)
    await world.run(35_000)
    await posts(world, p, 6)
    await world.run(3000)
    world.broker?.held.clear()
    await quieten(world)
    await walks(world, 'a post was late')
  }
}

/** A push that was decided in time and came long after spoils its list. */
const overdue: Scenario = {
  setting: settingWith({ cap: 3 }),
  async run(world, [reader = 0, p = 0, q = 0]) {
    await follow(world, reader, p, q)
    await warm(world, reader)
    for (const { lag } of workers(world)) lag.set(`push feed:${reader}`, 40_000)
    await posts(world, q)
    await world.run(3000)
    for (const { lag } of workers(world)) lag.clear()
    await world.run(30_000)
    await posts(world, p, 6)
    await quieten(world)
    await walks(world, 'a push was overdue')
  }
}

/** Settling a list cuts it at the cap, and its floor says so. */
const settledLong: Scenario = {
  setting: settingWith({ cap: 3, slack: 20 }),
  async run(world, [reader = 0, p = 0]) {
    await follow(world, reader, p)
    await warm(world, reader)
    await pastPosts(world, p, 10)
    await world.feeds.settle(`feed:${reader}`)
    await walks(world, 'the list was settled')
  }
}

/** An old post below the floor of a list does not become part of it when the list is settled. */
const settledOld: Scenario = {
  setting: settingWith({ cap: 3, slack: 20 }),
  async run(world, [reader = 0, p = 0, q = 0]) {
    await importPosts(world, p, [90_000, 80_000, 70_000, 60_000, 50_000, 40_000])
    await follow(world, reader, p, q)
    await warm(world, reader)
    await importPosts(world, q, [2_000_000])
    await world.feeds.settle(`feed:${reader}`)
    await walks(world, 'the list was settled')
  }
}

/** No post is ahead of the clocks: windows count on it. */
const ahead: Scenario = {
  setting: settingWith({ cap: 3 }),
  async run(world, [reader = 0, p = 0, q = 0]) {
    await follow(world, reader, p, q)
    await warm(world, reader)
    await importPosts(world, p, [-60_000])
    await pastPosts(world, q, 4)
    await walks(world, 'a post was ahead')
  }
}

/** Posts that are too old to be pushed have the feeds dropped that they belong to. */
const backlog: Scenario = {
  setting: settingWith({}),
  async run(world, [reader = 0, p = 0]) {
    await follow(world, reader, p)
    await warm(world, reader)
    await importPosts(world, p, [5_000_000])
    await walks(world, 'an old post came')
  }
}

export const LIST_SCENARIOS = {
  'held up': heldUp,
  trimmed,
  'lower floor': lowerFloor,
  late,
  'settled long': settledLong,
  'settled old': settledOld,
  backlog,
  ahead,
  overdue
} as const
