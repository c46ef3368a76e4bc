// People who post, read, follow, block, like and delete at given rates, and check what they see meanwhile.
import type { FeedApi, Page, Post, PostId, UserId } from '@fanwise/sdk'
import type { Random } from '../packages/server/src/cli/generate/random.ts'
import { Acknowledged, isRefusal } from './acknowledged.ts'
import type { Member } from './fleet.ts'

export interface TrafficOptions {
  readonly random: Random
  readonly apis: readonly Member[]
  readonly users?: number
  /** People follow those of their own group only; 1 if absent. */
  readonly groups?: number
  readonly postsPerS?: number
  readonly readsPerS?: number
  /** Other writes: follows, blocks, likes, deletes. */
  readonly changesPerS?: number
}

export interface TrafficReport {
  posts: number
  pages: number
  changes: number
  /** Answers 503 or none, by `method status`. */
  readonly failures: Map<string, number>
  readonly slowestMs: { read: number; write: number }
  /** Answers, or none, that took over 2 s. */
  slow: number
}

/** Another process shows a changed body at the latest after this long. */
const BODIES_MS = 250
const SLOW_MS = 2000
const OPEN_MAX = 400
const LIMIT = 20
const BATCH = 1000
const RECENT = 200

type Kind = 'read' | 'write'

/** The seeded graph: the first three are followed by nearly everybody. */
function graphOf(random: Random, users: readonly UserId[]) {
  return users.flatMap(follower =>
    users
      .filter((followee, i) => followee !== follower && random.next() < (i < 3 ? 0.9 : 0.2))
      .map(followee => ({ follower, followee }))
  )
}

export class Traffic {
  readonly users: readonly UserId[]
  /** Acknowledged posts and their authors. */
  readonly posts = new Map<PostId, UserId>()
  readonly report: TrafficReport = {
    ...{ posts: 0, pages: 0, changes: 0, failures: new Map() },
    ...{ slowestMs: { read: 0, write: 0 }, slow: 0 }
  }
  /** What must never be; empty if all is well. */
  readonly violations: string[] = []
  readonly told: Acknowledged
  readonly graph: readonly { follower: UserId; followee: UserId }[]
  readonly #options: Required<TrafficOptions>
  readonly #own = new Map<UserId, { id: PostId; member: Member; starts: number }>()
  readonly #recent: PostId[] = []
  readonly #busy = new Set<UserId>()
  readonly #open = new Set<Promise<void>>()
  readonly #timers: NodeJS.Timeout[] = []
  readonly #clients = new Map<string, FeedApi>()
  #posted = 0

  constructor(options: TrafficOptions) {
    const usual = { users: 40, groups: 1, postsPerS: 20, readsPerS: 50, changesPerS: 8 }
    this.#options = { ...usual, ...options }
    this.users = Array.from({ length: this.#options.users }, (_, i) => `u${i}`)
    const groups = Array.from({ length: this.#options.groups }, (_, group) => this.group(group))
    this.graph = groups.flatMap(users => graphOf(options.random, users))
    const follows = new Set(
      this.graph.map(({ follower, followee }) => `follow ${follower} ${followee}`)
    )
    this.told = new Acknowledged(name => (follows.has(name) ? 'yes' : 'no'))
  }

  group(index: number): readonly UserId[] {
    return this.users.filter((_, i) => i % this.#options.groups === index)
  }

  /** Makes the graph, some history, and reads each feed, so that all are warm. */
  async prepare(): Promise<void> {
    const { admin } = this.memberOf('u0')
    await admin.batch({ users: this.users.map(id => ({ id })) })
    for (let from = 0; from < this.graph.length; from += BATCH)
      await admin.batch({ follows: this.graph.slice(from, from + BATCH) })
    for (let round = 0; round < 4; round++)
      await Promise.all(this.users.map(user => this.post(user)))
    for (const user of this.users) await this.read(user)
    await admin.settle(10_000)
  }

  start(): void {
    const { postsPerS, readsPerS, changesPerS } = this.#options
    this.#every(postsPerS, () => this.#writing(user => this.post(user)))
    this.#every(readsPerS, () => this.read(this.#anybody()))
    this.#every(changesPerS, () => this.#writing(user => this.#change(user)))
  }

  /** Ends when the last answer is there. */
  async stop(): Promise<void> {
    for (const timer of this.#timers.splice(0)) clearInterval(timer)
    await Promise.all(this.#open)
  }

  async during(work: () => Promise<void>): Promise<void> {
    this.start()
    try {
      await work()
    } finally {
      await this.stop()
    }
  }

  /** A line for people. */
  summary(): string {
    const { posts, pages, changes, failures, slowestMs } = this.report
    const failed = [...failures].map(([what, count]) => `${what} x${count}`).join(', ')
    return (
      `${posts} posts, ${pages} pages, ${changes} changes; not answered: ${failed || 'none'}; ` +
      `slowest read ${Math.round(slowestMs.read)} ms, write ${Math.round(slowestMs.write)} ms`
    )
  }

  #every(perS: number, work: () => Promise<void>): void {
    const once = () => {
      if (this.#open.size >= OPEN_MAX) return
      const done = work().finally(() => this.#open.delete(done))
      this.#open.add(done)
    }
    if (perS > 0) this.#timers.push(setInterval(once, 1000 / perS))
  }

  #anybody(): UserId {
    return this.#options.random.pick(this.users)
  }

  /** A writer does one thing after the other. */
  async #writing(work: (user: UserId) => Promise<void>): Promise<void> {
    const idle = this.users.filter(user => !this.#busy.has(user))
    if (idle.length === 0) return
    const user = this.#options.random.pick(idle)
    this.#busy.add(user)
    await work(user).finally(() => this.#busy.delete(user))
  }

  /** The process that answers a user's requests. */
  memberOf(user: UserId): Member {
    const { apis } = this.#options
    return apis[Number(user.slice(1)) % apis.length] as Member
  }

  #api(user: UserId): FeedApi {
    const known = this.#clients.get(user)
    if (known !== undefined) return known
    const made = this.memberOf(user).as(user)
    this.#clients.set(user, made)
    return made
  }

  async #ask<T>(kind: Kind, name: string, ask: () => Promise<T>): Promise<T | undefined> {
    const began = performance.now()
    try {
      return await ask()
    } catch (error) {
      this.#failed(name, error)
      return undefined
    } finally {
      const ms = performance.now() - began
      this.report.slowestMs[kind] = Math.max(this.report.slowestMs[kind], ms)
      if (ms > SLOW_MS) this.report.slow++
    }
  }

  #failed(name: string, error: unknown): void {
    const { status, code, message } = error as { status?: number; code?: string; message: string }
    if (status === 503 || status === 0) {
      const key = `${name} ${status}`
      this.report.failures.set(key, (this.report.failures.get(key) ?? 0) + 1)
    } else if (!isRefusal(error)) this.violations.push(`${name}: ${status} ${code} ${message}`)
  }

  /** Posts, and checks that the own feed shows it. */
  async post(user: UserId): Promise<void> {
    const member = this.memberOf(user)
    const { starts } = member
    const content = `${user} ${++this.#posted}`
    const post = await this.#ask('write', 'post', () => this.#api(user).createPost({ content }))
    if (post === undefined) return
    this.report.posts++
    this.posts.set(post.id, user)
    this.#recent.push(post.id)
    this.#own.set(user, { id: post.id, member, starts })
    await this.read(user)
  }

  /** Up to three pages, and what has to hold for them. */
  async read(user: UserId): Promise<void> {
    const own = this.#own.get(user)
    const forbidden = this.#forbidden(user)
    const items: Post[] = []
    let cursor: string | undefined
    for (let pages = 1 + this.#options.random.index(3); pages > 0; pages--) {
      const query = { limit: LIMIT, ...(cursor !== undefined && { cursor }) }
      const page: Page<Post> | undefined = await this.#ask('read', 'feed', async () =>
        this.#api(user).feed(query)
      )
      if (page === undefined) break
      this.report.pages++
      items.push(...page.items)
      if (page.nextCursor === null) break
      cursor = page.nextCursor
    }
    if (items.length > 0) this.#judge(user, items, forbidden, own)
  }

  /** Posts and authors that the reader must not see any more, as of now. */
  #forbidden(reader: UserId): (post: Post) => string | undefined {
    const now = performance.now()
    const names = new Map<string, number>()
    const note = (name: string, told: 'yes' | 'no', ageMs = 0) => {
      const version = this.told.since(name, told, now, ageMs)
      if (version !== undefined) names.set(name, version)
    }
    for (const author of this.users) {
      if (author === reader) continue
      note(`follow ${reader} ${author}`, 'no')
      note(`block ${reader} ${author}`, 'yes')
      note(`block ${author} ${reader}`, 'yes')
      note(`mute ${reader} ${author}`, 'yes')
    }
    for (const id of this.#recent) {
      note(`hide ${reader} ${id}`, 'yes')
      note(`delete ${id}`, 'yes', BODIES_MS)
    }
    return ({ id, author }) =>
      [
        ...[`follow ${reader} ${author.id}`, `block ${reader} ${author.id}`],
        ...[`block ${author.id} ${reader}`, `mute ${reader} ${author.id}`],
        ...[`hide ${reader} ${id}`, `delete ${id}`]
      ].find(name => {
        const version = names.get(name)
        return version !== undefined && this.told.isStill(name, version)
      })
  }

  #judge(
    reader: UserId,
    items: readonly Post[],
    forbidden: (post: Post) => string | undefined,
    own: { id: PostId; member: Member; starts: number } | undefined
  ): void {
    for (const [i, post] of items.entries()) {
      const last = items[i - 1]
      if (last !== undefined && post.id >= last.id)
        this.violations.push(`${reader}: ${post.id} comes after ${last.id}`)
      const why = forbidden(post)
      if (why !== undefined) this.violations.push(`${reader} sees ${post.id} after "${why}"`)
    }
    // What a process knows of an own post while Redis is away ends with the process.
    if (own === undefined || own.starts !== own.member.starts) return
    if (this.told.told(`delete ${own.id}`) !== 'no') return
    const reached = (items.at(-1)?.id ?? '') <= own.id
    if (reached && !items.some(({ id }) => id === own.id))
      this.violations.push(`${reader} does not see the own post ${own.id}`)
  }

  async #change(user: UserId): Promise<void> {
    const { random } = this.#options
    const other = random.pick(this.users.filter(one => one !== user))
    const recent = this.#recent.slice(-RECENT)
    const post = random.pick(recent.filter(id => this.posts.get(id) !== user))
    const api = this.#api(user)
    const follow = `follow ${user} ${other}`
    const back = `follow ${other} ${user}`
    const block = `block ${user} ${other}`
    const mute = `mute ${user} ${other}`
    const changes: [number, string, Record<string, 'yes' | 'no'>, () => Promise<unknown>][] = [
      [30, 'follow', { [follow]: 'yes' }, () => api.follow(other)],
      [15, 'unfollow', { [follow]: 'no' }, () => api.unfollow(other)],
      [3, 'block', { [block]: 'yes', [follow]: 'no', [back]: 'no' }, () => api.block(other)],
      [4, 'unblock', { [block]: 'no' }, () => api.unblock(other)],
      [5, 'mute', { [mute]: 'yes' }, () => api.mute(other)],
      [5, 'unmute', { [mute]: 'no' }, () => api.unmute(other)],
      [8, 'hide', { [`hide ${user} ${post}`]: 'yes' }, () => api.hide(post)],
      [20, 'like', {}, () => api.like(post)],
      [5, 'unlike', {}, () => api.unlike(post)]
    ]
    const doomed = recent.find(id => this.posts.get(id) === user)
    if (doomed !== undefined)
      changes.push([5, 'delete', { [`delete ${doomed}`]: 'yes' }, () => api.deletePost(doomed)])
    let left = random.next() * changes.reduce((sum, [weight]) => sum + weight, 0)
    const chosen = changes.find(([weight]) => {
      left -= weight
      return left < 0
    })
    if (chosen === undefined) return
    const [, name, facts, ask] = chosen
    const done = await this.#ask('write', name, () =>
      this.told.change(facts, async () => {
        await ask()
        return true
      })
    )
    if (done === true) this.report.changes++
  }
}
