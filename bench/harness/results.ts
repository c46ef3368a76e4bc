import { globSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Bench, Measured, Prepared, Ratio } from './bench.ts'
import type { Machine } from './machine.ts'

export const RESULTS = path.resolve(import.meta.dirname, '../results')

/** One number of one variant, or a ratio, over all rounds. */
export interface Row {
  readonly variant: string
  readonly measured: string
  readonly values: readonly number[]
}

export interface Result {
  readonly bench: string
  readonly about: string
  readonly setting: string
  readonly command: string
  /** ISO 8601. */
  readonly at: string
  readonly quick: boolean
  readonly machine: Machine
  readonly rows: readonly Row[]
}

type ByVariant = Readonly<Record<string, readonly Measured[]>>

export function makeResult(
  { name, about }: Bench,
  { setting, ratios = [] }: Prepared,
  measured: ByVariant,
  run: { readonly machine: Machine; readonly quick: boolean }
): Result {
  const rows = Object.entries(measured).flatMap(([variant, rounds]) => rowsOf(variant, rounds))
  return {
    ...{ bench: name, about, setting, command: `npm run bench -- ${name}` },
    ...{ at: new Date().toISOString(), quick: run.quick, machine: run.machine },
    rows: [...rows, ...ratios.map(ratio => ratioRow(measured, ratio))]
  }
}

function rowsOf(variant: string, rounds: readonly Measured[]): Row[] {
  return Object.keys(rounds[0] ?? {}).map(name => ({
    variant,
    measured: name,
    values: rounds.map(round => round[name] ?? Number.NaN)
  }))
}

/** @throws TypeError when it names what was not measured. */
function ratioRow(measured: ByVariant, { name, of, by }: Ratio): Row {
  const valuesOf = ([variant, key]: readonly [string, string]) =>
    (measured[variant] ?? []).map(round => round[key] ?? Number.NaN)
  const [above, below] = [valuesOf(of), valuesOf(by)]
  const values = above.map((value, round) => value / (below[round] ?? Number.NaN))
  if (values.length === 0 || values.some(Number.isNaN))
    throw new TypeError(`the ratio "${name}" is of what was not measured`)
  return { variant: '', measured: name, values }
}

/** A quick run overwrites nothing: its numbers say little. */
export function writeResult(result: Result): string {
  const file = path.join(RESULTS, `${result.bench}.json`)
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`)
  return file
}

/** All that were kept, by name of the benchmark. */
export function readResults(folder = RESULTS): Result[] {
  return globSync('*.json', { cwd: folder })
    .sort()
    .map(file => JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as Result)
}
