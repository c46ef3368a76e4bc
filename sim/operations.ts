import type { FollowResult, WriteOptions } from '@fanwise/sdk'
import type { PostId } from '../packages/server/src/domain/post-id.ts'
import type { Feed } from '../packages/server/src/feed.ts'
import type { Chance } from './chance.ts'
import type { StepKind } from './kinds.ts'
import type { Effect } from './ledger.ts'
import { START_MS } from './machine.ts'
import { turnPages } from './numbered.ts'
import { type Bounds, visit, type Written, walk } from './pages.ts'
import type { Server } from './server.ts'
import { Texts } from './texts.ts'
import type { World } from './world.ts'

/** What users do. A step chooses by its own chance. */
export type Operation = (world: World, chance: Chance) => Promise<unknown>

type Act<T> = (feed: Feed, options: WriteOptions, server: Server) => Promise<T>

const TRIES = 3

/** Writes, and repeats under the same key what nobody knows the end of. Undefined: not acknowledged. */
async function write<T>(
  world: World,
  chance: Chance,
  effects: readonly Effect[],
  act: Act<T>,
  waits: (value: T) => boolean = () => false
): Promise<T | undefined> {
  const { ledger } = world
  const claim = ledger.begin(effects, world.now)
  ledger.unsettle(effects)
  const idempotencyKey = String(chance.below(2 ** 31))
  let lost = false
  for (let tries = 0; tries < TRIES; tries++) {
    const server = world.api(chance)
    if (server !== null) {
      const outcome = await world.request(server, feed => act(feed, { idempotencyKey }, server))
      if (outcome.kind === 'done') {
        if (waits(outcome.value)) claim.pend()
        else claim.ack(world.now)
        return outcome.value
      }
      if (outcome.kind === 'refused' && !lost) {
        claim.refuse()
        return undefined
      }
      lost = true
      if (chance.happens(0.4)) break
    }
    await world.pause(chance.between(10, 3000))
  }
  // A follow that was stored may wait for consent.
  if (effects.some(({ fact, on }) => !on && fact.startsWith('apart'))) claim.pend()
  else claim.lose(world.now)
  return undefined
}

/** More often the same two, so that what they do meets. */
function anyone(world: World, chance: Chance): number {
  const users = [...world.users.keys()]
  return chance.pick([...users, ...users.slice(0, 2), ...users.slice(0, 2)])
}

function two(world: World, chance: Chance): readonly [number, number] {
  const one = anyone(world, chance)
  const others = [...world.users.keys()].filter(user => user !== one)
  return [one, chance.pick(others)]
}

function idOf(world: World, user: number): string {
  return world.users.get(user) as string
}

/** Writes, and tells whether the worker has to make up for something that failed. */
async function writeOwing<T>(
  world: World,
  chance: Chance,
  act: Act<T>
): Promise<{ readonly value: T; readonly owed: boolean } | undefined> {
  const state = { owed: false }
  const value = await write(world, chance, [], async (feed, options, server) => {
    const others = world.writing.get(server) ?? new Set()
    world.writing.set(server, others.add(state))
    const answer = await act(feed, options, server)
    others.delete(state)
    return answer
  })
  return value === undefined ? undefined : { value, owed: state.owed }
}

/** Undefined: not acknowledged. */
export async function post(
  world: World,
  chance: Chance,
  author: number
): Promise<Written | undefined> {
  const content = `words ${chance.below(1000)}`
  let commit = ''
  const onCommit = (token: string) => {
    commit = token
  }
  const made = await writeOwing(world, chance, (feed, options) =>
    feed.as(idOf(world, author), { onCommit }).createPost({ content }, options)
  )
  if (made === undefined) return undefined
  const { id } = made.value
  Object.assign(world.record(id, author), { acked: world.now, owed: made.owed })
  if (!world.texts.has(id)) world.texts.set(id, new Texts(content))
  world.say(`201 ${id} of ${author}`)
  return { post: id, commit }
}

/** Posts, and looks at once whether it is there, on any server. */
async function postAndLook(world: World, chance: Chance): Promise<void> {
  const author = anyone(world, chance)
  const written = await post(world, chance, author)
  if (written === undefined || chance.happens(0.5)) return
  await walk(world, author, { limit: 3, pause: () => 5, written }, chance)
}

async function importOne(world: World, chance: Chance): Promise<void> {
  const author = anyone(world, chance)
  const age = chance.pick([-2000, 0, 10_000, 20_000, 100_000, 2000_000, 5_000_000])
  const createdAt = new Date(START_MS + world.now - age - chance.between(0, 3000)).toISOString()
  const posts = [{ author: idOf(world, author), content: 'imported', createdAt }]
  await write(world, chance, [], (feed, options) => feed.admin.batch({ posts }, options))
}

async function edit(world: World, chance: Chance): Promise<void> {
  const [id, author] = ownPost(world, chance)
  if (id === undefined) return
  const content = `edited ${chance.below(1_000_000)}`
  const texts = world.texts.get(id) ?? new Texts(null)
  world.texts.set(id, texts)
  const begun = texts.begin(content, world.now)
  const done = await writeOwing(world, chance, (feed, options) =>
    feed.as(idOf(world, author)).editPost(id, { content }, options)
  )
  if (done?.owed === false) begun.ack(world.now)
}

function ownPost(world: World, chance: Chance): [PostId | undefined, number] {
  const all = [...world.ledger.posts.values()]
  if (all.length === 0) return [undefined, 0]
  const { id, author } = chance.pick(all)
  return [id, author]
}

async function remove(world: World, chance: Chance): Promise<void> {
  const [id, author] = ownPost(world, chance)
  if (id === undefined) return
  await write(world, chance, [{ fact: `gone ${id}`, on: true }], (feed, options) =>
    feed.as(idOf(world, author)).deletePost(id, options)
  )
}

async function like(world: World, chance: Chance): Promise<void> {
  const [id] = ownPost(world, chance)
  if (id === undefined) return
  const user = idOf(world, anyone(world, chance))
  const change = chance.pick(['like', 'like', 'unlike'] as const)
  await write(world, chance, [], (feed, options) => feed.as(user)[change](id, options))
}

export type RelationChange = 'follow' | 'unfollow' | 'block' | 'unblock' | 'mute' | 'unmute'

export function relate(
  world: World,
  chance: Chance,
  change: RelationChange,
  [one, other]: readonly [number, number]
): Promise<unknown> {
  world.say(`${change} ${one} ${other}`)
  return write(
    world,
    chance,
    effectsOf(change, one, other),
    async (feed, options): Promise<unknown> =>
      feed.as(idOf(world, one))[change](idOf(world, other), options),
    answer => change === 'follow' && (answer as FollowResult).state === 'requested'
  )
}

/** Turns private or public; who turns public accepts all who asked. */
async function privacy(world: World, chance: Chance): Promise<void> {
  const user = anyone(world, chance)
  const visibility = chance.pick(['private', 'public'] as const)
  world.say(`${visibility} ${user}`)
  const effect: Effect = { fact: `private ${user}`, on: visibility === 'private' }
  await write(world, chance, [effect], (feed, options) =>
    feed.as(idOf(world, user)).putUser(idOf(world, user), { visibility }, options)
  )
}

/** Decides on who asked to follow, or does not want a follower any more. */
async function decide(world: World, chance: Chance): Promise<void> {
  const [reader, author] = two(world, chance)
  const [who, whom] = [idOf(world, reader), idOf(world, author)]
  const what = chance.pick(['accept', 'accept', 'reject', 'remove'] as const)
  world.say(`${what} ${reader} by ${author}`)
  const effects: Effect[] =
    what === 'reject' ? [] : [{ fact: `apart ${reader} ${author}`, on: what === 'remove' }]
  await write(world, chance, effects, (feed, options) => {
    const by = feed.as(whom)
    if (what === 'accept') return by.acceptRequest(who, options)
    if (what === 'reject') return by.rejectRequest(who, options)
    return by.removeFollower(whom, who, options)
  })
}

function effectsOf(change: string, one: number, other: number): Effect[] {
  const on = !change.startsWith('un')
  if (change.endsWith('follow')) return [{ fact: `apart ${one} ${other}`, on: !on }]
  if (change.endsWith('mute')) return [{ fact: `mute ${one} ${other}`, on }]
  const blocked: Effect = { fact: `block ${one} ${other}`, on }
  if (!on) return [blocked]
  return [blocked, { fact: `apart ${one} ${other}`, on }, { fact: `apart ${other} ${one}`, on }]
}

async function flip(world: World, chance: Chance): Promise<void> {
  const pair = two(world, chance)
  for (let left = chance.pick([2, 3]); left > 0; left--) {
    const [fact] = effectsOf('follow', ...pair)
    const apart = fact !== undefined && world.ledger.holds(fact.fact, true, world.now, world.now)
    await relate(world, chance, apart ? 'follow' : 'unfollow', pair)
    await world.pause(chance.between(0, 300))
  }
}

async function hide(world: World, chance: Chance): Promise<void> {
  const [id] = ownPost(world, chance)
  if (id === undefined) return
  const reader = anyone(world, chance)
  const change = chance.pick(['hide', 'hide', 'unhide'] as const)
  const effect: Effect = { fact: `hide ${reader} ${id}`, on: change === 'hide' }
  await write(world, chance, [effect], (feed, options) =>
    feed.as(idOf(world, reader))[change](id, options)
  )
}

async function suspend(world: World, chance: Chance): Promise<void> {
  const user = anyone(world, chance)
  const change = chance.pick(['suspend', 'unsuspend', 'unsuspend'] as const)
  const effect: Effect = { fact: `suspend ${user}`, on: change === 'suspend' }
  world.say(`${change} ${user}`)
  await write(world, chance, [effect], (feed, options) =>
    feed.admin[change](idOf(world, user), options)
  )
}

/** One user leaves for good. */
async function leave(world: World, chance: Chance): Promise<void> {
  const user = [...world.users.keys()].at(-1)
  if (user === undefined || world.users.size < 4) return
  world.gone.add(user)
  world.say(`leave ${user}`)
  await write(world, chance, [{ fact: `suspend ${user}`, on: true }], (feed, options) =>
    feed.as(idOf(world, user)).deleteMe(options)
  )
}

/** Mostly the whole feed; else up from a post, or the gap between two. */
function boundsOf(world: World, chance: Chance): Bounds {
  const [one] = ownPost(world, chance)
  const [other] = ownPost(world, chance)
  if (one === undefined || other === undefined || chance.happens(0.5)) return {}
  if (one === other || chance.happens(0.5)) return { after: one }
  return one < other ? { after: one, before: other } : { after: other, before: one }
}

function randomWalk(world: World, chance: Chance): Promise<unknown> {
  const limit = chance.pick([1, 2, 3, 7])
  const [low, high] = chance.pick([
    [0, 20],
    [10, 2000],
    [1000, 20_000],
    [5000, 60_000]
  ] as const)
  const pause = () => chance.between(low, high)
  if (chance.happens(0.15))
    return turnPages(world, anyone(world, chance), { size: limit, pause }, chance)
  const bounds = boundsOf(world, chance)
  return walk(world, anyone(world, chance), { limit, pause, bounds }, chance)
}

export const OPERATIONS: Partial<Record<StepKind, Operation>> = {
  post: postAndLook,
  import: importOne,
  edit,
  delete: remove,
  like,
  follow: (world, chance) => relate(world, chance, 'follow', two(world, chance)),
  unfollow: (world, chance) => relate(world, chance, 'unfollow', two(world, chance)),
  flip,
  block: (world, chance) =>
    relate(world, chance, chance.pick(['block', 'unblock']), two(world, chance)),
  mute: (world, chance) =>
    relate(world, chance, chance.pick(['mute', 'unmute']), two(world, chance)),
  hide,
  privacy,
  decide,
  suspend,
  leave,
  walk: randomWalk,
  visit: (world, chance) => visit(world, ...two(world, chance), chance)
}
