import type { Bench } from './bench.ts'
import { describeMachine } from './machine.ts'
import { report } from './report.ts'
import { makeResult, writeResult } from './results.ts'
import { takeTurns } from './take-turns.ts'

export interface RunOptions {
  readonly quick: boolean
  readonly rounds: number
}

const LINE = process.stderr

/** Prepares, measures, shows and keeps the results of one benchmark. */
export async function runBench(bench: Bench, { quick, rounds }: RunOptions): Promise<void> {
  const say = (text: string) => void LINE.write(`${bench.name}: ${text}\n`)
  const machine = await describeMachine()
  await using parts = new AsyncDisposableStack()
  say('preparing')
  const prepared = await bench.prepare({ quick, parts, say })
  const { variants } = prepared
  const measured = await takeTurns(variants, { rounds, warmUps: prepared.warmUps ?? 1, say })
  const result = makeResult(bench, prepared, measured, { machine, quick })
  process.stdout.write(`\n${report(result)}\n\n`)
  if (!quick) say(`kept in ${writeResult(result)}`)
}
