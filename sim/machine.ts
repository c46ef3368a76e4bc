import { Problem } from '../packages/server/src/domain/errors.ts'
import type { Clock } from '../packages/server/src/ports/clock.ts'
import { Chance } from './chance.ts'
import type { Network } from './network.ts'

/** Unix ms at which every run begins. */
export const START_MS = Date.UTC(2026, 0, 1)

export interface CallOptions {
  /** Of the method that is called. */
  readonly name?: string
  /** ms more on the way there. */
  readonly jam?: number
  /** Whether it still has an effect when it gets there after its process died. */
  readonly outlives?: () => boolean
}

/** The next of its calls that its process does not survive. */
export interface Doom {
  calls: number
  /** Of the method; any by default. */
  readonly name?: string
  readonly when: 'before' | 'after'
}

/**
 * One process: it calls the ports through the network, and may die or stand still at any moment. What a dead one waits
 * for never comes; what comes for one that stands still waits.
 */
export class Machine {
  readonly name: string
  readonly clock: Clock
  readonly died: Promise<void>
  doom: Doom | null = null
  /** ms more that calls of a method take on their way there, and their answers on the way back. */
  readonly lag = new Map<string, number>()
  readonly lagBack = new Map<string, number>()
  /** ms that its clock is ahead. */
  offset: number
  readonly #network: Network
  readonly #end = Promise.withResolvers<void>()
  readonly #held: (() => void)[] = []
  #alive = true
  #frozen = false

  constructor(name: string, network: Network, seed: number) {
    const { scheduler, chance } = network
    this.name = name
    this.offset = chance.between(-2000, 2000)
    this.#network = network
    this.died = this.#end.promise
    const own = new Chance(seed)
    this.clock = {
      now: () => Math.floor(START_MS + scheduler.now + this.offset),
      monotonic: () => scheduler.now,
      random: own.next,
      sleep: (ms, signal) => this.#sleep(ms, signal)
    }
  }

  get alive(): boolean {
    return this.#alive
  }

  get frozen(): boolean {
    return this.#frozen
  }

  kill(): void {
    this.#alive = false
    this.#held.length = 0
    this.#end.resolve()
  }

  freeze(): void {
    this.#frozen = true
  }

  thaw(): void {
    this.#frozen = false
    for (const act of this.#held.splice(0)) this.act(act)
  }

  /** Nothing holds it up or ends it any more. */
  recover(): void {
    this.doom = null
    this.lag.clear()
    this.lagBack.clear()
    this.thaw()
  }

  /** What comes to the process: now, when it runs again, or never. */
  act(act: () => void): void {
    if (!this.#alive) return
    if (this.#frozen) this.#held.push(act)
    else act()
  }

  /** `effect` happens after one way, and its answer comes after another. */
  call<T>(
    effect: () => Promise<T>,
    { name = '', jam = 0, outlives }: CallOptions = {}
  ): Promise<T> {
    const network = this.#network
    const doom = this.#doomed(name)
    const loss = network.loss()
    return new Promise((resolve, reject) => {
      const answer = (act: () => void) =>
        network.scheduler.after(network.hop() + (this.lagBack.get(name) ?? 0), () => this.act(act))
      const fail = () => reject(new Problem('unavailable', 'The connection was lost.'))
      const land = () => {
        if (doom === 'before') this.kill()
        const gone = !this.#alive && !(outlives?.() ?? network.chance.happens(0.5))
        if (jam > 0) network.jammed--
        if (gone || doom === 'before') return
        if (loss === 'before') answer(fail)
        else {
          effect().then(
            value => answer(loss === 'after' ? fail : () => resolve(value)),
            error => answer(() => reject(error))
          )
          if (doom === 'after') this.kill()
        }
      }
      if (jam > 0) network.jammed++
      network.scheduler.after(network.hop() + jam + (this.lag.get(name) ?? 0), land)
    })
  }

  #doomed(name: string): Doom['when'] | null {
    const { doom } = this
    if (doom === null || (doom.name ?? name) !== name || --doom.calls > 0) return null
    this.doom = null
    return doom.when
  }

  #sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve()
    return new Promise(resolve => {
      this.#network.scheduler.after(ms, () => this.act(resolve))
      signal?.addEventListener('abort', () => resolve(), { once: true })
    })
  }
}
