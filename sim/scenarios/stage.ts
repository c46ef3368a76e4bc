import { type Limits, PRESETS } from '../../packages/server/src/domain/limits.ts'
import { laneOfAuthor, type PostId } from '../../packages/server/src/domain/post-id.ts'
import type { Delivery } from '../../packages/server/src/domain/user.ts'
import type { Feed } from '../../packages/server/src/feed.ts'
import type { ListKey } from '../../packages/server/src/ports/feeds.ts'
import { type Machine, START_MS } from '../machine.ts'
import { post, type RelationChange, relate } from '../operations.ts'
import { walk } from '../pages.ts'
import type { Server } from '../server.ts'
import type { Setting } from '../setting.ts'
import { finish, quieten } from '../verdict.ts'
import type { Outcome, World } from '../world.ts'

/** What chance meets too rarely, step by step. It holds for the program as it is. */
export interface Scenario {
  readonly setting: Setting
  readonly run: (world: World, users: readonly number[]) => Promise<void>
}

/** Quiet weather, two partitions and eight users; `limits` differ from those of the first preset. */
export function settingWith(limits: Partial<Limits>, partitions = 2): Setting {
  return {
    users: 8,
    limits: {
      ...PRESETS['activity-feed'],
      ...{ cap: 200, slack: 0, threshold: 100, cutMs: 120_000 },
      ...limits
    },
    weather: { far: 0, slow: 0, stuck: 0, lossy: 0, lateCommits: 0 },
    partitions,
    changing: false,
    pace: 0
  }
}

/** The partition that carries a user's events. */
export function partitionOf(user: number): number {
  return laneOfAuthor(user) % 2
}

/** Two authors in one partition, and one in the other. */
export function authorsOf(users: readonly number[]): { p: number; z: number; q: number } {
  const [p, ...others] = users as [number, ...number[]]
  const z = others.find(user => partitionOf(user) === partitionOf(p))
  const q = others.find(user => partitionOf(user) !== partitionOf(p))
  if (z === undefined || q === undefined) throw new Error('all users share a partition')
  return { p, z, q }
}

export async function change(
  world: World,
  kind: RelationChange,
  reader: number,
  author: number
): Promise<void> {
  await finish(world, relate(world, world.chance, kind, [reader, author]))
}

export async function follow(
  world: World,
  reader: number,
  ...authors: readonly number[]
): Promise<void> {
  for (const author of authors) await change(world, 'follow', reader, author)
  await quieten(world)
}

export async function posts(world: World, author: number, count = 1): Promise<void> {
  const all = Array.from({ length: count }, () => post(world, world.chance, author))
  await finish(world, Promise.all(all))
}

/** The same, worked off. */
export async function pastPosts(world: World, author: number, count = 1): Promise<void> {
  await posts(world, author, count)
  await quieten(world)
}

/** Posts of `ages` (ms), as an import brings them; worked off. */
export async function importPosts(
  world: World,
  author: number,
  ages: readonly number[]
): Promise<void> {
  const id = world.users.get(author) ?? ''
  const posts = ages.map(age => ({
    author: id,
    content: 'imported',
    createdAt: new Date(START_MS + world.now - age).toISOString()
  }))
  await ask(world, 'a', feed => feed.admin.batch({ posts }))
  await quieten(world)
}

/** The first worker that gets to its next read of followers dies there, and no other one does. */
export async function loseWorker(world: World): Promise<void> {
  const all = workers(world)
  for (const machine of all) machine.doom = { calls: 1, name: 'followerSlice', when: 'before' }
  await world.run(30_000, () => all.some(({ alive }) => !alive))
  for (const machine of all) machine.doom = null
}

/** A walk that is under way. */
export function begin(world: World, reader: number): Promise<PostId[] | undefined> {
  return walk(world, reader, { limit: 5, pause: () => 1 }, world.chance)
}

export function look(world: World, reader: number): Promise<PostId[] | undefined> {
  return finish(world, begin(world, reader))
}

export async function warm(world: World, reader: number): Promise<void> {
  await look(world, reader)
  await becomes(world, `feed:${reader}`, 'warm')
}

export async function becomes(
  world: World,
  list: ListKey,
  state: 'warm' | 'building' | 'cold'
): Promise<void> {
  const end = world.now + 60_000
  while ((await world.feeds.stateOf(list)) !== state) {
    await world.run(0.2)
    if (world.now > end) throw new Error(`${list} does not become ${state}`)
  }
}

export async function deliveryBecomes(
  world: World,
  author: number,
  wanted: Delivery
): Promise<void> {
  const end = world.now + 60_000
  while ((await world.store.deliveryOf([author]))[0]?.delivery !== wanted) {
    await world.run(20)
    if (world.now > end) throw new Error(`${author} does not become ${wanted}`)
  }
}

export function server(world: World, name: string): Server {
  const found = world.servers.find(one => one.name === name)
  if (found === undefined) throw new Error(`no server ${name}`)
  return found
}

export function machine(world: World, name: string): Machine {
  const found = server(world, name).machine
  if (found === null) throw new Error(`${name} is down`)
  return found
}

/** Machines that work off events. */
export function workers(world: World): Machine[] {
  return world.servers
    .filter(({ roles }) => roles.includes('fanout'))
    .flatMap(({ machine }) => (machine === null ? [] : [machine]))
}

/** One request to one server, which may not survive it. */
export async function ask<T>(
  world: World,
  name: string,
  act: (feed: Feed) => Promise<T>
): Promise<Outcome<T>> {
  return finish(world, world.request(server(world, name), act))
}
