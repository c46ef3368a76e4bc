import type { Chance } from './chance.ts'
import type { Scheduler } from './scheduler.ts'

/** How bad it is in one run; probabilities. */
export interface Weather {
  /** A call takes 10 to 400 ms, and not 10 ms at most. */
  readonly far: number
  /** A call takes 0.6 to 6 s. */
  readonly slow: number
  /** A push takes 12 to 90 s to land. */
  readonly stuck: number
  /** A call fails; half of those that fail have been done. */
  readonly lossy: number
  /** A transaction commits 5 to 20 s late. */
  readonly lateCommits: number
}

export const FAIR: Weather = { far: 0.2, slow: 0, stuck: 0, lossy: 0, lateCommits: 0 }

/** The way between a process and what it calls: how long it takes, and what gets lost. */
export class Network {
  weather: Weather = FAIR
  /** Pushes that are held up. */
  jammed = 0
  readonly scheduler: Scheduler
  readonly chance: Chance

  constructor(scheduler: Scheduler, chance: Chance) {
    this.scheduler = scheduler
    this.chance = chance
  }

  /** ms of one way. */
  hop(): number {
    const { chance } = this
    if (chance.happens(this.weather.slow)) return chance.between(600, 6000)
    return chance.happens(this.weather.far) ? chance.between(10, 400) : chance.between(0.1, 10)
  }

  /** ms that a push is held up on its way. */
  jam(): number {
    return this.chance.happens(this.weather.stuck) ? this.chance.between(12_000, 90_000) : 0
  }

  loss(): 'before' | 'after' | null {
    if (!this.chance.happens(this.weather.lossy)) return null
    return this.chance.happens(0.5) ? 'before' : 'after'
  }

  commitDelay(): number | undefined {
    const { chance, weather } = this
    if (chance.happens(weather.lateCommits)) return chance.between(5000, 20_000)
    return chance.happens(0.3) ? chance.between(1, 100) : undefined
  }
}
