import type { Measured, Variant } from './bench.ts'

export interface Turns {
  readonly rounds: number
  /** Rounds before the first that counts. */
  readonly warmUps: number
  say(text: string): void
}

/**
 * Runs every variant once a round, forwards and backwards in turns, so that neither a machine that slows down nor what
 * one variant leaves behind favours one of them. Returns what each measured, by variant and round.
 */
export async function takeTurns<V extends string>(
  variants: Readonly<Record<V, Variant>>,
  { rounds, warmUps, say }: Turns
): Promise<Record<V, Measured[]>> {
  const names = Object.keys(variants) as V[]
  const results = Object.fromEntries(names.map(name => [name, []])) as unknown as Record<
    V,
    Measured[]
  >
  for (let round = -warmUps; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const measured = await variants[name](round)
      say(`${round < 0 ? 'warm-up' : `round ${round + 1}`}, ${name}: ${tell(measured)}`)
      if (round >= 0) results[name].push(measured)
    }
  }
  return results
}

function tell(measured: Measured): string {
  return Object.entries(measured)
    .map(([name, value]) => `${name} ${Number(value.toPrecision(4))}`)
    .join(', ')
}
