import type { Batch, BatchLike, BatchPost, Json, UserId } from '@fanwise/sdk'
import { Random, Zipf } from './random.ts'
import { ENDINGS, FIRST_NAMES, LAST_NAMES, OPENINGS, SUBJECTS } from './words.ts'

export interface CommunityOptions {
  readonly seed: number
  readonly users: number
  readonly posts: number
  /** Mean follows per user. */
  readonly follows: number
  readonly likes: number
  readonly days: number
  /** Unix ms at which the story ends. */
  readonly now: number
}

const DAY_MS = 86_400_000
const FOLLOW_SKEW = 0.8
const ACTIVITY_SKEW = 0.6

/**
 * A seeded community as batches: people, follows with a power law (the first ones are celebrities), and posts over
 * time. Equal options give equal batches, and posts carry external ids, so loading them twice changes nothing.
 */
export function* generateCommunity(options: CommunityOptions): Generator<Batch> {
  const random = new Random(options.seed)
  const people = Array.from({ length: options.users }, (_, index) => person(random, index))
  yield* inBatches(people, users => ({ users }))
  const ids = people.map(({ id }) => id)
  yield* inBatches(follows(random, ids, options), part => ({ follows: part }))
  const posts = [...postsOverTime(random, ids, options)]
  yield* inBatches(posts, part => ({ posts: part }))
  yield* inBatches(likes(random, ids, posts, options), part => ({ likes: part }))
}

function person(random: Random, index: number) {
  const name = `${random.pick(FIRST_NAMES)} ${random.pick(LAST_NAMES)}`
  const id = `${name.toLowerCase().replace(' ', '.')}.${index + 1}`
  const attributes: Record<string, Json> = { hue: random.index(360) }
  return { id, name, attributes }
}

function* follows(random: Random, ids: readonly UserId[], options: CommunityOptions) {
  const popularity = new Zipf(random, ids.length, FOLLOW_SKEW)
  for (const [index, follower] of ids.entries()) {
    const wanted = Math.min(
      ids.length - 1,
      Math.max(3, Math.round(options.follows * Math.exp(0.8 * random.normal() - 0.32)))
    )
    const chosen = new Set<number>()
    for (let tries = 0; chosen.size < wanted && tries < wanted * 20; tries++) {
      const followee = popularity.draw()
      if (followee !== index) chosen.add(followee)
    }
    for (const followee of chosen) yield { follower, followee: ids[followee] ?? follower }
  }
}

function* postsOverTime(
  random: Random,
  ids: readonly UserId[],
  options: CommunityOptions
): Generator<BatchPost> {
  const activity = new Zipf(random, ids.length, ACTIVITY_SKEW)
  const times = Array.from({ length: options.posts }, () => timeOfDay(random, options)).sort(
    (a, b) => a - b
  )
  for (const [index, time] of times.entries()) {
    // Popularity and activity are drawn apart: the busiest are not the most followed.
    const author = ids[(activity.draw() * 7919 + 13) % ids.length] ?? ''
    const content = `${random.pick(OPENINGS)} ${random.pick(SUBJECTS)}.${random.pick(ENDINGS)}`
    const externalId = `generated-${options.seed}-${index}`
    yield { author, content, createdAt: new Date(time).toISOString(), externalId }
  }
}

/** Evenly over the days, with quiet nights. */
function timeOfDay(random: Random, { days, now }: CommunityOptions): number {
  for (;;) {
    const time = now - Math.floor(random.next() * days * DAY_MS) - 1000
    const hour = (time % DAY_MS) / 3_600_000
    if (random.next() < 0.55 + 0.45 * Math.sin(((hour - 9) / 24) * 2 * Math.PI)) return time
  }
}

function* likes(
  random: Random,
  ids: readonly UserId[],
  posts: readonly BatchPost[],
  options: CommunityOptions
): Generator<BatchLike> {
  if (posts.length === 0) return
  const popularity = new Zipf(random, posts.length, 0.5)
  for (let count = 0; count < options.likes; count++) {
    const post = posts[posts.length - 1 - popularity.draw()]
    if (post?.externalId === undefined) continue
    yield { user: random.pick(ids), author: post.author, externalId: post.externalId }
  }
}

const BATCH = 1000

/** Groups rows into batches of the size that the API takes. */
export function* inBatches<T>(
  rows: Iterable<T>,
  wrap: (part: readonly T[]) => Batch
): Generator<Batch> {
  let part: T[] = []
  for (const row of rows) {
    part.push(row)
    if (part.length < BATCH) continue
    yield wrap(part)
    part = []
  }
  if (part.length > 0) yield wrap(part)
}
