// How lists are built.
import { finish, quieten, walks } from '../verdict.ts'
import {
  ask,
  becomes,
  begin,
  follow,
  look,
  machine,
  pastPosts,
  posts,
  type Scenario,
  settingWith,
  warm
} from './stage.ts'

/** A builder that died frees its list, though people read it all the time. */
const deadBuilder: Scenario = {
  setting: settingWith({}),
  async run(world, [reader = 0]) {
    const list = `feed:${reader}` as const
    const reading = begin(world, reader)
    await becomes(world, list, 'building')
    for (const name of ['a', 'b']) machine(world, name).kill()
    await finish(world, reading)
    for (let round = 0; round < 10; round++) {
      await look(world, reader)
      await world.run(3000)
    }
    if ((await world.feeds.stateOf(list)) !== 'warm')
      world.fail('a list is being built for ever', { list })
  }
}

/** What is posted after the Store was read for a build, and before it ends, is in the list. */
const postedMeanwhile: Scenario = {
  setting: settingWith({}),
  async run(world, [reader = 0, author = 0]) {
    await follow(world, reader, author)
    for (const name of ['a', 'b']) machine(world, name).lagBack.set('homeIds', 4000)
    const reading = begin(world, reader)
    await world.run(100)
    await posts(world, author)
    await quieten(world)
    await finish(world, reading)
    await becomes(world, `feed:${reader}`, 'warm')
    await walks(world, 'a list was built meanwhile')
  }
}

/** Who is followed while the list is built has all posts in it. */
const followedMeanwhile: Scenario = {
  setting: settingWith({}),
  async run(world, [reader = 0, author = 0]) {
    await pastPosts(world, author, 3)
    for (const name of ['a', 'b']) machine(world, name).lagBack.set('homeIds', 6000)
    const reading = begin(world, reader)
    await becomes(world, `feed:${reader}`, 'building')
    await world.run(100)
    await follow(world, reader, author)
    await finish(world, reading)
    await becomes(world, `feed:${reader}`, 'warm')
    await walks(world, 'a list was built meanwhile')
  }
}

/** A builder that took too long does not end the build of another. */
const slowBuilder: Scenario = {
  setting: settingWith({}),
  async run(world, [reader = 0, author = 0]) {
    const list = `feed:${reader}` as const
    const read = (name: string) =>
      world.request(world.servers.find(one => one.name === name) ?? never(), feed =>
        feed.as(world.users.get(reader) ?? '').feed()
      )
    await follow(world, reader, author)
    machine(world, 'a').lagBack.set('homeIds', 12_500)
    machine(world, 'b').lagBack.set('homeIds', 6000)
    const first = read('a')
    await becomes(world, list, 'building')
    await becomes(world, list, 'cold')
    await posts(world, author)
    await world.run(1000)
    const second = read('b')
    await becomes(world, list, 'building')
    await finish(world, Promise.all([first, second]))
    await world.run(10_000)
    for (const name of ['a', 'b']) machine(world, name).lagBack.clear()
    await warm(world, reader)
    await walks(world, 'two built')
  }
}

/** The posts of a suspended author are kept in lists: they may come back. */
const suspended: Scenario = {
  setting: settingWith({}),
  async run(world, [reader = 0, author = 0]) {
    const id = world.users.get(author) ?? ''
    await follow(world, reader, author)
    await posts(world, author, 2)
    await ask(world, 'a', feed => feed.admin.suspend(id))
    await world.run(1000)
    await warm(world, reader)
    await ask(world, 'a', feed => feed.admin.unsuspend(id))
    await world.run(1000)
    await walks(world, 'they are back')
  }
}

/** A feed that would get more than it holds from a follow is built anew. */
const tooMany: Scenario = {
  setting: settingWith({ cap: 3, slack: 20 }),
  async run(world, [reader = 0, author = 0]) {
    await pastPosts(world, author, 10)
    await warm(world, reader)
    await follow(world, reader, author)
    await walks(world, 'more than a feed holds')
  }
}

function never(): never {
  throw new Error('there is no such server')
}

export const BUILD_SCENARIOS = {
  'dead builder': deadBuilder,
  'posted meanwhile': postedMeanwhile,
  'followed meanwhile': followedMeanwhile,
  'slow builder': slowBuilder,
  suspended,
  'too many': tooMany
} as const
