import { type Loop, loop } from '../../lib/loop.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Change } from '../../ports/feeds.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { PUBLISH } from './channel-scripts.ts'
import type { Commands } from './commands.ts'
import { openSubscription, type Subscription } from './link.ts'
import { Steps } from './steps.ts'

export interface ChannelOptions {
  readonly commands: Commands
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly name: string
  /** Tells this process's own messages from others'. */
  readonly sender: string
  readonly timeoutMs: number
  /** The server that has the channel now. */
  readonly url: () => string | undefined
}

const ASK_MS = 50
const RETRY_MS = 100
const COUNT_MS = 7 * 86_400_000
/** A message that is known to be out and has not come for so long is lost. */
const PATIENCE_MS = 1000
const EVERYTHING: Change = { everything: true }

/** What the fleet has to forget, told to every process; and whether this process has heard all of it. */
export class Channel implements AsyncDisposable {
  readonly #options: ChannelOptions
  readonly #steps = new Steps()
  readonly #listeners: ((change: Change) => void)[] = []
  readonly #listening: Loop
  readonly #asking: Loop
  #subscription: Subscription | undefined
  #url: string | undefined
  #wasInStep = false

  constructor(options: ChannelOptions) {
    const { clock } = options
    this.#options = options
    const loops = { clock, retryMs: RETRY_MS, onError: () => {} }
    this.#listening = loop({ ...loops, once: async () => this.#listen(), idleMs: RETRY_MS })
    this.#asking = loop({
      ...loops,
      once: async () => this.#ask(),
      idleMs: ASK_MS,
      retryMs: ASK_MS
    })
  }

  inStep(): boolean {
    return this.#steps.inStep(this.#options.clock.monotonic())
  }

  subscribe(listener: (change: Change) => void): void {
    this.#listeners.push(listener)
  }

  /** Resolves when this process has forgotten it and the server has it. @throws RedisFailure */
  async announce(change: Change): Promise<void> {
    this.#tell(change)
    const { commands, name: key, sender } = this.#options
    const argv = [String(COUNT_MS), JSON.stringify([sender, change])]
    await commands.ask('announce', { key, script: PUBLISH, argv }, { patient: true })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listeners.length = 0
    const closed = this.#listening[Symbol.asyncDispose]()
    this.#subscription?.close()
    await Promise.all([closed, this.#asking[Symbol.asyncDispose]()])
  }

  #tell(change: Change): void {
    for (const listener of this.#listeners) listener(change)
  }

  /** Connects, and stays until the connection is lost. */
  async #listen(): Promise<number> {
    this.#url = this.#options.url()
    if (this.#url === undefined) return 0
    const { timeoutMs, name } = this.#options
    const hear = (message: string) => this.#hear(message)
    const subscription = await openSubscription({ url: this.#url, timeoutMs }, name, hear)
    this.#subscription = subscription
    this.#tell(EVERYTHING)
    await subscription.lost
    this.#subscription = undefined
    this.#steps.lose()
    return 0
  }

  #hear(message: string): void {
    const space = message.indexOf(' ')
    const [sender, change] = JSON.parse(message.slice(space + 1)) as [string, Change]
    if (sender !== this.#options.sender) this.#tell(change)
    if (!this.#steps.hear(Number(message.slice(0, space)))) this.#missed('gap')
  }

  /** Asks which number is the highest. */
  async #ask(): Promise<number> {
    const { commands, clock, name: key, url } = this.#options
    this.#note()
    if (this.#subscription === undefined) return 0
    if (url() !== this.#url) this.#subscription.close()
    const subscription = this.#subscription
    const askedAt = clock.monotonic()
    const question = this.#steps.ask(askedAt)
    const highest = await commands.ask(
      'step',
      { key, args: () => ['GET', key] },
      { patient: false }
    )
    if (subscription !== this.#subscription) return 0
    if (!this.#steps.learn(highest === null ? null : Number(highest), question))
      this.#missed('count')
    if (askedAt - (this.#steps.waitingSince ?? askedAt) > PATIENCE_MS) subscription?.close()
    this.#note()
    return 0
  }

  #missed(reason: string): void {
    this.#options.telemetry.count('feeds_missed', 1, { reason })
    this.#tell(EVERYTHING)
  }

  #note(): void {
    const inStep = this.inStep()
    if (inStep === this.#wasInStep) return
    this.#wasInStep = inStep
    this.#options.telemetry.gauge('feeds_out_of_step', inStep ? 0 : 1)
  }
}
