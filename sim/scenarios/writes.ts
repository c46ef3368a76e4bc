// What holds when a write is answered, and what is made up for when it is not.
import { visit } from '../pages.ts'
import { finish, quieten, walks } from '../verdict.ts'
import {
  ask,
  begin,
  change,
  follow,
  look,
  loseWorker,
  machine,
  pastPosts,
  posts,
  type Scenario,
  settingWith,
  warm,
  workers
} from './stage.ts'

/** A follow whose server died before the backfill gets its posts from the worker. */
const lostFollow: Scenario = {
  setting: settingWith({}),
  async run(world, [reader = 0, author = 0]) {
    await pastPosts(world, author, 2)
    await warm(world, reader)
    machine(world, 'a').doom = { calls: 1, name: 'follow', when: 'after' }
    await ask(world, 'a', feed =>
      feed.as(world.users.get(reader) ?? '').follow(world.users.get(author) ?? '')
    )
    await quieten(world)
    await walks(world, 'the server is gone')
  }
}

/** A mute whose server died before it dropped the rules holds when the worker has seen it. */
const lostMute: Scenario = {
  setting: settingWith({}),
  async run(world, [reader = 0, author = 0]) {
    await posts(world, author)
    await follow(world, reader, author)
    await warm(world, reader)
    machine(world, 'a').doom = { calls: 1, name: 'mute', when: 'after' }
    await ask(world, 'a', feed =>
      feed.as(world.users.get(reader) ?? '').mute(world.users.get(author) ?? '')
    )
    await quieten(world)
    await walks(world, 'the server is gone')
  }
}

/** The posts of a worker that died are brought by another. */
function deadWorker(partitions: number): Scenario {
  return {
    setting: settingWith({}, partitions),
    async run(world, [reader = 0, author = 0]) {
      await follow(world, reader, author)
      // A new owner drops the feeds of readers whose follows it may have to doubt.
      await world.run(25_000)
      await warm(world, reader)
      await posts(world, author)
      await loseWorker(world)
      await quieten(world)
      await walks(world, 'a worker died')
    }
  }
}

/** The own post is there at once, before a worker has seen it. */
const ownPost: Scenario = {
  setting: settingWith({}),
  async run(world, [author = 0]) {
    await warm(world, author)
    for (const partition of [0, 1]) world.broker?.held.add(partition)
    await posts(world, author)
    await look(world, author)
  }
}

/** A block holds for both as soon as it is answered. */
const atOnce: Scenario = {
  setting: settingWith({}),
  async run(world, [one = 0, other = 0]) {
    for (const user of [one, other]) await pastPosts(world, user)
    await follow(world, one, other)
    await follow(world, other, one)
    for (const user of [one, other, one, other]) await look(world, user)
    for (const { lag } of workers(world)) lag.set('dropRules', 60_000)
    await change(world, 'block', one, other)
    for (const user of [one, other]) await look(world, user)
    // What holds for less than 100 ms is not judged: a first visit may come too soon.
    for (let visits = 0; visits < 5; visits++)
      await finish(world, visit(world, other, one, world.chance))
  }
}

/** Rules that were loaded before a mute are not kept after it. */
const loadedBefore: Scenario = {
  setting: settingWith({}),
  async run(world, [reader = 0, author = 0]) {
    await posts(world, author)
    await follow(world, reader, author)
    await warm(world, reader)
    await world.feeds.lose('rules', reader)
    for (const name of ['a', 'b']) machine(world, name).lagBack.set('rules', 3000)
    const reading = begin(world, reader)
    await world.run(1000)
    await change(world, 'mute', reader, author)
    await finish(world, reading)
    await look(world, reader)
    await walks(world, 'rules were loaded before')
  }
}

/** A cut is forgotten only when no list has the posts that it hid. */
const forgottenCut: Scenario = {
  setting: settingWith({}),
  async run(world, [reader = 0, author = 0]) {
    await posts(world, author)
    await follow(world, reader, author)
    await warm(world, reader)
    await change(world, 'unfollow', reader, author)
    await look(world, reader)
    await world.run(150_000)
    await walks(world, 'the cut is forgotten')
  }
}

/** A page that goes by rules of now goes by a list of now. */
const rulesFirst: Scenario = {
  setting: settingWith({}),
  async run(world, [reader = 0, author = 0]) {
    await posts(world, author)
    await follow(world, reader, author)
    await warm(world, reader)
    await change(world, 'unfollow', reader, author)
    await world.run(110_000)
    for (const name of ['a', 'b']) machine(world, name).lag.set('readRules', 800)
    const reading: Promise<unknown>[] = []
    while ((await world.store.rules(reader)).cuts.size > 0) {
      reading.push(begin(world, reader))
      await world.run(100)
    }
    await finish(world, Promise.all(reading))
  }
}

/** A server that has not heard of a delete uses nothing that it kept. */
const notHeard: Scenario = {
  setting: settingWith({}),
  async run(world, [reader = 0]) {
    const id = world.users.get(reader) ?? ''
    await posts(world, reader)
    await look(world, reader)
    await look(world, reader)
    for (const name of ['a', 'b']) machine(world, name).lag.set('hear', 5000)
    const [post] = world.ledger.posts.keys()
    await finish(
      world,
      world.request(world.servers[1] ?? never(), feed => feed.as(id).feed())
    )
    await ask(world, 'a', feed => feed.as(id).deletePost(post ?? ''))
    await world.run(500)
    const page = await ask(world, 'b', feed => feed.as(id).feed())
    if (page.kind === 'done' && page.value.items.length > 0)
      world.fail('a page shows what it must not', { post })
  }
}

/** A Feeds server that lost its last writes shows none of what it has. */
const cameBackOld: Scenario = {
  setting: settingWith({}),
  async run(world, [reader = 0, author = 0]) {
    await follow(world, reader, author)
    await warm(world, reader)
    const comeBack = world.feeds.snapshot()
    await posts(world, author)
    await quieten(world)
    await comeBack()
    await walks(world, 'Feeds came back old')
  }
}

function never(): never {
  throw new Error('there is no such server')
}

export const WRITE_SCENARIOS = {
  'lost follow': lostFollow,
  'lost mute': lostMute,
  'own post': ownPost,
  'at once': atOnce,
  'dead worker': deadWorker(2),
  'dead process': deadWorker(0),
  'loaded before': loadedBefore,
  'forgotten cut': forgottenCut,
  'rules first': rulesFirst,
  'not heard': notHeard,
  'came back old': cameBackOld
} as const
