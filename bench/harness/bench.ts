/** One number of one round, under its name: `events/s` -> 12000. */
export type Measured = Readonly<Record<string, number>>

/** What one variant does in one round. Rounds of all variants take turns. */
export type Variant = (round: number) => Promise<Measured>

export interface BenchContext {
  /** A tenth of the work: says that it runs, and little about how fast. */
  readonly quick: boolean
  /** Ends, last one first, when the benchmark is over. */
  readonly parts: AsyncDisposableStack
  /** Tells a person how far it is. */
  say(text: string): void
}

export interface Prepared {
  /** In words: sizes, rates, settings. */
  readonly setting: string
  readonly variants: Readonly<Record<string, Variant>>
  /** Rounds before the first that counts; 1 if absent. */
  readonly warmUps?: number
  /** Numbers of one variant by those of another, of the same round: what the machine does meanwhile hits both. */
  readonly ratios?: readonly Ratio[]
}

export interface Ratio {
  readonly name: string
  /** `[variant, measured]` each. */
  readonly of: readonly [string, string]
  readonly by: readonly [string, string]
}

export interface Bench {
  /** Kebab-case; also the file of its results. */
  readonly name: string
  readonly about: string
  /** Makes all that is not measured: services, data, connections. */
  prepare(context: BenchContext): Promise<Prepared>
}
