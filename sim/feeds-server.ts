import {
  createMemoryFeeds,
  type RestorableFeeds
} from '../packages/server/src/adapters/memory/feeds.ts'
import type { Limits } from '../packages/server/src/domain/limits.ts'
import { END } from '../packages/server/src/domain/post-id.ts'
import type {
  Change,
  Feeds,
  ListKey,
  Push,
  Pushed,
  Taken
} from '../packages/server/src/ports/feeds.ts'
import { type Machine, START_MS } from './machine.ts'
import type { Scheduler } from './scheduler.ts'

interface Waiting {
  readonly machine: Machine
  readonly run: () => void
}

/** What was announced, and when. */
interface Message {
  readonly change: Change
  readonly at: number
}

/** Processes may go by what they have heard of all that was announced until so long ago. */
const STEP_MS = 100

/** The one Feeds server of a fleet: it may stand still, lose everything, or come back old. */
export class FeedsServer {
  readonly messages: Message[] = []
  readonly #feeds: RestorableFeeds
  readonly #scheduler: Scheduler
  /** Of whoever writes just now. */
  readonly #limits: Limits
  readonly #clients = new Map<Machine, Limits>()
  readonly #waiting: Waiting[] = []
  readonly #listeners: (() => void)[] = []
  /** Lists with an id in time that landed too late, until they are dropped: their pages prove nothing. */
  readonly #doubtful = new Set<ListKey>()
  #doubtedAt = -1
  #frozen = false
  #asOf: number | null = null
  #offset: number

  constructor(scheduler: Scheduler, limits: Limits, offset: number) {
    this.#scheduler = scheduler
    this.#offset = offset
    const clock = {
      now: () => START_MS + (this.#asOf ?? scheduler.now) + this.#offset,
      monotonic: () => scheduler.now
    }
    this.#limits = { ...limits }
    this.#feeds = createMemoryFeeds({ clock, limits: this.#limits })
  }

  /** How long and large lists get is decided by the process that writes. */
  connect(machine: Machine, limits: Limits): void {
    this.#clients.set(machine, limits)
  }

  /** Runs a command of a process when the server gets to it. */
  perform<T>(machine: Machine, work: (feeds: Feeds) => Promise<T>): Promise<T> {
    const run = () => {
      Object.assign(this.#limits, this.#clients.get(machine))
      return work(this.#feeds)
    }
    if (!this.#frozen) return run()
    return new Promise((resolve, reject) => {
      this.#waiting.push({ machine, run: () => void run().then(resolve, reject) })
    })
  }

  /** Pushes whose bytes were written at `sentAt`: whether they are late was decided then. */
  async push(
    pushes: readonly Push[],
    sentAt: number,
    flightMs: number
  ): Promise<readonly Pushed[]> {
    this.#asOf = sentAt
    const landed = this.#feeds.push(pushes)
    this.#asOf = null
    if (this.#scheduler.now - sentAt > flightMs)
      for (const { list } of pushes) this.#doubtful.add(list)
    return landed
  }

  async drop(lists: readonly ListKey[]): Promise<void> {
    await this.#feeds.drop(lists)
    for (const list of lists) if (this.#doubtful.delete(list)) this.#doubtedAt = this.#scheduler.now
  }

  /** Whether some list was in doubt at `since` (ms) or later. */
  doubted(since: number): boolean {
    return this.#frozen || this.#doubtful.size > 0 || this.#doubtedAt >= since
  }

  /** What was in doubt has been repaired, or will not be. */
  trust(): void {
    this.#doubtful.clear()
  }

  freeze(): void {
    this.#frozen = true
  }

  /** Commands of the dead come first, those of each process in their order, those of several in any. */
  thaw(pick: (end: number) => number): void {
    this.#frozen = false
    this.#doubtedAt = this.#scheduler.now
    const queues = [...Map.groupBy(this.#waiting.splice(0), ({ machine }) => machine)]
    const dead = queues.filter(([machine]) => !machine.alive).flatMap(([, queue]) => queue)
    const rest = queues.filter(([machine]) => machine.alive).map(([, queue]) => queue)
    for (const { run } of dead) run()
    while (rest.length > 0) {
      const at = pick(rest.length)
      const queue = rest[at] ?? []
      queue.shift()?.run()
      if (queue.length === 0) rest.splice(at, 1)
    }
  }

  /** A key vanishes, as any may. */
  async lose(what: 'feed' | 'timeline' | 'rules', user: number): Promise<void> {
    if (what === 'rules') await this.#feeds.dropRules([user])
    else await this.drop([`${what}:${user}`])
  }

  async stateOf(list: ListKey): Promise<Taken['state']> {
    return (await this.#feeds.take(list, END, 1)).state
  }

  /** Puts late ids in place, as a page asks for. */
  async settle(list: ListKey): Promise<void> {
    await this.#feeds.settle(list)
  }

  async clear(): Promise<void> {
    await this.#feeds.clear()
    this.#doubtful.clear()
    this.#doubtedAt = this.#scheduler.now
  }

  /** Keeps its state. Calling the answer has it come back as old as that: whoever connects empties it first. */
  snapshot(): () => Promise<void> {
    const restore = this.#feeds.snapshot()
    return async () => {
      restore()
      await this.clear()
    }
  }

  /** Sets its clock. */
  shift(offset: number): void {
    this.#offset = offset
  }

  async announce(change: Change): Promise<number> {
    const count = this.messages.push({ change, at: this.#scheduler.now })
    for (const listener of this.#listeners) listener()
    return count
  }

  /** Called for each message, as it is announced. */
  onMessage(listener: () => void): void {
    this.#listeners.push(listener)
  }

  /** How many messages a process has to have heard to be in step. */
  heardByNow(): number {
    const until = this.#scheduler.now - STEP_MS
    let count = this.messages.length
    while (count > 0 && (this.messages[count - 1]?.at ?? 0) > until) count--
    return count
  }

  get frozen(): boolean {
    return this.#frozen
  }
}
