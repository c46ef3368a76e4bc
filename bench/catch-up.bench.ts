import { setTimeout as wait } from 'node:timers/promises'
import type { LoggedEvent } from '../packages/server/src/domain/event.ts'
import { openFanout } from '../packages/server/src/fanout/open-fanout.ts'
import type { Server } from '../scripts/services/server.ts'
import type { Bench, BenchContext, Measured, Prepared } from './harness/bench.ts'
import { openLoop } from './harness/open-loop.ts'
import { followed, openPipeline, type Pipeline, runRelay, startOwn } from './pipeline.ts'

const AUTHORS = 200
const READERS = 50
const USUAL_S = 60
const QUICK_S = 10
/** Of posting before the outage, and of posting on after its backlog was worked off. */
const CALM_MS = 2000

interface Post {
  readonly madeAt: number
  handledAt: number
}

/** Posts by id, and when the work of their events was done. */
class Posts {
  readonly #posts = new Map<string, Post>()

  made(id: string): void {
    this.#posts.set(id, { madeAt: performance.now(), handledAt: this.#early(id) })
  }

  readonly handled = (events: readonly LoggedEvent[]): void => {
    const now = performance.now()
    for (const { event } of events) {
      if (event.type !== 'post') continue
      const post = this.#posts.get(event.post)
      if (post === undefined) this.#posts.set(event.post, { madeAt: Number.NaN, handledAt: now })
      else post.handledAt = Math.min(post.handledAt, now)
    }
  }

  /** Of those made before then: how many waited at that time, and when the last one was done. */
  backlog(at: number): { readonly waiting: number; readonly doneAt: number } {
    const before = [...this.#posts.values()].filter(({ madeAt }) => madeAt <= at)
    const waiting = before.filter(({ handledAt }) => handledAt > at).length
    return { waiting, doneAt: Math.max(at, ...before.map(({ handledAt }) => handledAt)) }
  }

  clear(): void {
    this.#posts.clear()
  }

  #early(id: string): number {
    return this.#posts.get(id)?.handledAt ?? Number.POSITIVE_INFINITY
  }
}

/** Everybody reads everybody, and all feeds are warm. */
async function settleIn({ feed }: Pipeline): Promise<string[]> {
  const authors = Array.from({ length: AUTHORS }, (_, index) => `author${index}`)
  const readers = Array.from({ length: READERS }, (_, index) => `reader${index}`)
  const follows = readers.flatMap(follower => authors.map(followee => ({ follower, followee })))
  for (let at = 0; at < follows.length; at += 1000)
    await feed.admin.batch({ follows: follows.slice(at, at + 1000) })
  await feed.admin.settle(60_000)
  await warm({ feed }, readers)
  return readers
}

async function warm({ feed }: Pick<Pipeline, 'feed'>, readers: readonly string[]): Promise<void> {
  for (const reader of readers) await feed.as(reader).feed()
  await feed.idle()
}

interface Outage {
  readonly pipeline: Pipeline
  readonly posts: Posts
  readonly readers: readonly string[]
  readonly server: Server
  readonly perS: number
  readonly awayMs: number
}

/** Posts go on all the time; one service is killed, stays away, and comes back. */
async function catchUp({
  pipeline,
  posts,
  readers,
  server,
  perS,
  awayMs
}: Outage): Promise<Measured> {
  posts.clear()
  await warm(pipeline, readers)
  let posting = true
  const post = async (index: number) => {
    if (!posting) return
    const { id } = await pipeline.feed.as(`author${index % AUTHORS}`).createPost({ content: 'x' })
    posts.made(id)
  }
  const traffic = openLoop({ perS, ms: awayMs + 60_000, act: post, until: () => !posting })
  await wait(CALM_MS)
  const killed = performance.now()
  await server.kill()
  await wait(awayMs)
  await server.start()
  const back = performance.now()
  while (posts.backlog(back).doneAt === Number.POSITIVE_INFINITY) await wait(20)
  const { waiting, doneAt } = posts.backlog(back)
  await wait(CALM_MS)
  posting = false
  const { failed } = await traffic
  await pipeline.feed.admin.settle(60_000)
  return {
    'seconds to catch up': (doneAt - back) / 1000,
    'events that waited': waiting,
    'seconds away': (back - killed) / 1000,
    'posts refused': failed
  }
}

function prepare(service: 'kafka' | 'redis', perS: number) {
  return async (context: BenchContext): Promise<Prepared> => {
    const { parts, quick } = context
    const services = await startOwn(parts, 'postgres', 'redis', 'kafka')
    const pipeline = await openPipeline(parts, {
      postgresUrl: services.postgres.url,
      ...{ redisUrl: services.redis.url, kafka: services.kafka.url }
    })
    const posts = new Posts()
    await pipeline.ports.log.consume(followed(openFanout(pipeline.context), posts.handled))
    await runRelay(parts, pipeline)
    context.say('warming feeds')
    const readers = await settleIn(pipeline)
    const [server] = services[service].servers
    if (server === undefined) throw new Error(`${service} is not ours to kill`)
    const awayMs = (quick ? QUICK_S : USUAL_S) * 1000
    const outage = { pipeline, posts, readers, server, awayMs, perS }
    return {
      setting: `${perS} posts/s of ${AUTHORS} authors to ${READERS} readers who follow all of them; ${service} is killed for ${awayMs / 1000} s and started again while posts go on.`,
      warmUps: 0,
      variants: { [`${service} away`]: () => catchUp(outage) }
    }
  }
}

const about =
  'From the moment a service answers again until every post made before has been worked off.'

export const benches: readonly Bench[] = (['kafka', 'redis'] as const).flatMap(service =>
  [20, 200].map(perS => ({
    name: `catch-up-${service}-${perS}`,
    about,
    prepare: prepare(service, perS)
  }))
)
