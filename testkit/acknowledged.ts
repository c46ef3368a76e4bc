// What writers were told, and so what no later read may contradict. Whatever may or may not have happened is unsure.

/** `yes` and `no` were acknowledged last; `unsure`: a request is under way, or ended without an answer. */
export type Told = 'yes' | 'no' | 'unsure'

interface Fact {
  told: Told
  /** When it was told, in ms of performance.now(). */
  since: number
  /** Requests under way. */
  open: number
  /** A request without an answer may still be carried out, by a process that slept. */
  tainted: boolean
  /** Changes with each request that begins or ends. */
  version: number
}

/** Facts by name, such as `follow ann bob`. */
export class Acknowledged {
  readonly #facts = new Map<string, Fact>()
  readonly #initially: (name: string) => Told

  constructor(initially: (name: string) => Told) {
    this.#initially = initially
  }

  #fact(name: string): Fact {
    let fact = this.#facts.get(name)
    if (fact === undefined) {
      const told = this.#initially(name)
      fact = { told, since: Number.NEGATIVE_INFINITY, open: 0, tainted: false, version: 0 }
      this.#facts.set(name, fact)
    }
    return fact
  }

  told(name: string): Told {
    return this.#fact(name).told
  }

  /** Told at least `ageMs` ago; a token of this state, else undefined. */
  since(name: string, told: Told, now: number, ageMs = 0): number | undefined {
    const fact = this.#fact(name)
    return fact.told === told && fact.since + ageMs <= now ? fact.version : undefined
  }

  isStill(name: string, version: number): boolean {
    return this.#fact(name).version === version
  }

  /** A request that makes all these facts so. `request` resolves to false when it was refused without effect. */
  async change<T>(facts: Readonly<Record<string, Told>>, request: () => Promise<T>): Promise<T> {
    const all = Object.entries(facts).map(([name, told]) => ({ fact: this.#fact(name), told }))
    const before = all.map(({ fact }) => fact.told)
    for (const { fact } of all) this.#begin(fact)
    const versions = all.map(({ fact }) => fact.version)
    const end = (tellings: readonly Told[], tainted: boolean) => {
      for (const [i, { fact }] of all.entries())
        this.#end(fact, tellings[i] as Told, tainted, fact.version === versions[i])
    }
    try {
      const result = await request()
      end(
        all.map(({ told }) => told),
        false
      )
      return result
    } catch (error) {
      const refused = isRefusal(error)
      end(refused ? before : all.map(() => 'unsure'), !refused)
      throw error
    }
  }

  #begin(fact: Fact): void {
    fact.open++
    fact.version++
    fact.told = 'unsure'
  }

  #end(fact: Fact, told: Told, tainted: boolean, alone: boolean): void {
    fact.open--
    fact.version++
    fact.tainted ||= tainted
    fact.told = alone && fact.open === 0 && !fact.tainted ? told : 'unsure'
    fact.since = performance.now()
  }
}

/** The server said no, and so nothing has changed. */
export function isRefusal(error: unknown): boolean {
  const { status } = error as { status?: number }
  return status !== undefined && status >= 400 && status < 500
}
