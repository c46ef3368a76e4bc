/** A node that has not shown for so long that it heard everything uses nothing that it keeps. */
export const STEP_MS = 100

/** A number that is known to be out, and since when this node has waited for it. */
interface Awaited {
  readonly number: number
  readonly askedAt: number
}

export interface Question {
  readonly askedAt: number
  /** The highest number heard by then. */
  readonly heard: number | undefined
}

/**
 * Whether all numbered messages were heard. In step: at some moment of the last STEP_MS the highest number was asked
 * for, and all up to it were heard. So what another process announced is forgotten here, or nothing kept is used,
 * STEP_MS after.
 */
export class Steps {
  #heard: number | undefined
  #awaited: Awaited[] = []
  #inStepAt = -Infinity

  inStep(now: number): boolean {
    return now - this.#inStepAt <= STEP_MS
  }

  /** A message came. False: some before it did not. */
  hear(number: number): boolean {
    const before = this.#heard
    if (before !== undefined && number <= before) return true
    this.#heard = number
    this.#arrive()
    return before === undefined || number === before + 1
  }

  /** Taken before the highest number is asked for. */
  ask(askedAt: number): Question {
    return { askedAt, heard: this.#heard }
  }

  /**
   * The answer: `number` was the highest; null: nothing was counted yet. False: what had been heard before is not of
   * the same count.
   */
  learn(number: number | null, { askedAt, heard }: Question): boolean {
    const fell = heard !== undefined && (number ?? 0) < heard
    if (number === null) {
      if (fell) this.lose()
      this.#inStepAt = askedAt
      return !fell
    }
    if (this.#heard === undefined || fell) this.#heard = number
    this.#awaited.push({ number, askedAt })
    this.#arrive()
    return !fell
  }

  /** Since when a number is waited for that was not heard; undefined when none is. */
  get waitingSince(): number | undefined {
    return this.#awaited[0]?.askedAt
  }

  /** The connection was lost: what came meanwhile is unknown. */
  lose(): void {
    this.#heard = undefined
    this.#awaited = []
    this.#inStepAt = -Infinity
  }

  #arrive(): void {
    const heard = this.#heard ?? -Infinity
    for (const { number, askedAt } of this.#awaited)
      if (number <= heard) this.#inStepAt = Math.max(this.#inStepAt, askedAt)
    this.#awaited = this.#awaited.filter(({ number }) => number > heard)
  }
}
