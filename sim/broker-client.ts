import { retry } from '../packages/server/src/lib/retry.ts'
import type { EventHandler, EventLog } from '../packages/server/src/ports/event-log.ts'
import type { Broker } from './broker.ts'
import type { Machine } from './machine.ts'

type Open = (partition: number) => EventHandler

const BATCH_MAX = 4
const POLL_MS = 700
const RETRY_MS = 300

/** One process's end of the broker: appends, and works off the partitions that are assigned to it. */
export function createBrokerClient(broker: Broker, machine: Machine): EventLog {
  const working = new Map<number, Worker>()
  function end(partition: number): Promise<void> {
    const worker = working.get(partition)
    working.delete(partition)
    return worker?.end() ?? Promise.resolve()
  }
  let tail: Promise<unknown> = Promise.resolve()
  let closed = false
  return {
    /** One after the other, so that they stay in order. */
    append(events) {
      if (closed) return Promise.reject(new Error('The event log is closed'))
      const appended = tail.then(() =>
        machine.call(async () => broker.append(events), { name: 'append' })
      )
      tail = appended.catch(() => {})
      return appended
    },
    async consume(open) {
      broker.join({
        assign: (partition, generation) =>
          machine.act(() => {
            void end(partition)
            working.set(partition, new Worker(broker, machine, open, partition, generation))
          }),
        revoke: partition =>
          new Promise(resolve => machine.act(() => void end(partition).then(resolve))),
        lose: partition => machine.act(() => void end(partition)),
        beats: () => machine.alive && !machine.frozen
      })
    },
    async release() {},
    pending: () => machine.call(async () => broker.pending()),
    async [Symbol.asyncDispose]() {
      closed = true
      await Promise.all([...working.keys()].map(end))
    }
  }
}

/** A partition as long as it is assigned: batch by batch, committed after the work. */
class Worker {
  readonly #broker: Broker
  readonly #machine: Machine
  readonly #partition: number
  readonly #generation: number
  readonly #open: Open
  #opened: EventHandler | undefined
  readonly #ended = new AbortController()

  constructor(broker: Broker, machine: Machine, open: Open, partition: number, generation: number) {
    this.#broker = broker
    this.#machine = machine
    this.#partition = partition
    this.#generation = generation
    this.#open = open
    void this.#run()
  }

  async end(): Promise<void> {
    this.#ended.abort()
    await this.#opened?.close()
  }

  get #handler(): EventHandler {
    this.#opened ??= this.#open(this.#partition)
    return this.#opened
  }

  async #run(): Promise<void> {
    const { signal } = this.#ended
    const begin = async () => this.#broker.beginning(this.#partition)
    let { offset, past } = await this.#insist(() => this.#machine.call(begin))
    if (past.done.length + past.ahead.length > 0)
      await this.#insist(async () => this.#handler.recover?.(past))
    while (!signal.aborted) offset = await this.#step(offset)
  }

  async #step(offset: number): Promise<number> {
    const fetch = async () => this.#broker.read(this.#partition, offset, BATCH_MAX)
    const events = await this.#insist(() => this.#machine.call(fetch))
    if (events.length === 0) {
      await this.#machine.clock.sleep(POLL_MS, this.#ended.signal)
      return offset
    }
    const end = offset + events.length
    await this.#insist(() => this.#handler.handle(events))
    const commit = async () => this.#broker.commit(this.#partition, this.#generation, end)
    await this.#insist(() => this.#machine.call(commit))
    return end
  }

  /** Again and again until it succeeds; after the end it never resolves. */
  #insist<T>(work: () => Promise<T>): Promise<T> {
    const { signal } = this.#ended
    const { clock } = this.#machine
    const guarded = () => (signal.aborted ? new Promise<T>(() => {}) : work())
    return retry(guarded, {
      attempts: Number.POSITIVE_INFINITY,
      baseMs: RETRY_MS,
      maxMs: 5000,
      clock
    })
  }
}
