import type { Fields, Labels, Level, Telemetry } from '../../ports/telemetry.ts'

export interface Logged {
  readonly level: Level
  readonly message: string
  readonly fields: Fields
}

/** Telemetry that shows nothing and lets tests ask what it was told. */
export interface SilentTelemetry extends Telemetry {
  /** The newest lines, at most 1,000. */
  readonly logged: readonly Logged[]
  /** The sum of a counter over all labels, or of those that have these. */
  total(name: string, labels?: Labels): number
  /** The last value of a gauge. */
  valueOf(name: string, labels?: Labels): number | undefined
  /** How many durations were observed. */
  observed(name: string, labels?: Labels): number
}

const LOGGED_MAX = 1000

interface Sample {
  readonly name: string
  readonly labels: Labels
  value: number
}

class Samples {
  readonly #byKey = new Map<string, Sample>()

  at(name: string, labels: Labels = {}): Sample {
    const key = JSON.stringify([name, Object.entries(labels).sort()])
    const sample = this.#byKey.get(key) ?? { name, labels, value: 0 }
    this.#byKey.set(key, sample)
    return sample
  }

  matching(name: string, labels: Labels = {}): Sample[] {
    const wanted = Object.entries(labels)
    return [...this.#byKey.values()].filter(
      sample =>
        sample.name === name && wanted.every(([label, value]) => sample.labels[label] === value)
    )
  }

  sum(name: string, labels?: Labels): number {
    return this.matching(name, labels).reduce((sum, { value }) => sum + value, 0)
  }
}

export function createSilentTelemetry(): SilentTelemetry {
  const logged: Logged[] = []
  const [counts, gauges, durations] = [new Samples(), new Samples(), new Samples()]
  return {
    logged,
    log(level, message, fields = {}) {
      logged.push({ level, message, fields })
      if (logged.length > LOGGED_MAX) logged.shift()
    },
    count(name, by = 1, labels) {
      counts.at(name, labels).value += by
    },
    gauge(name, value, labels) {
      gauges.at(name, labels).value = value
    },
    observe(name, _ms, labels) {
      durations.at(name, labels).value += 1
    },
    total: (name, labels) => counts.sum(name, labels),
    valueOf: (name, labels) => gauges.matching(name, labels).at(-1)?.value,
    observed: (name, labels) => durations.sum(name, labels)
  }
}
