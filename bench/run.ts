// npm run bench [-- NAME...] [--quick] [--rounds N]: runs what is in bench/, one after the other. NAME is a name or the
// beginning of some. Results go to bench/results, and from there to docs/performance.md; those of --quick are only shown.
import { globSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import type { Bench } from './harness/bench.ts'
import { runBench } from './harness/run-bench.ts'

const USUAL_ROUNDS = 5

async function allBenches(): Promise<Bench[]> {
  const files = globSync('*.bench.ts', { cwd: import.meta.dirname }).sort()
  const found = []
  for (const file of files) {
    const { benches } = await import(path.join(import.meta.dirname, file))
    found.push(...(benches as readonly Bench[]))
  }
  return found
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, rounds: { type: 'string' } }
})
const all = await allBenches()
const wanted = (name: string) => (start: string) =>
  all.some(bench => bench.name === start) ? name === start : name.startsWith(start)
const chosen = all.filter(({ name }) => positionals.length === 0 || positionals.some(wanted(name)))
if (chosen.length === 0) {
  console.error(`There is no such benchmark. There are: ${all.map(({ name }) => name).join(', ')}`)
  process.exit(1)
}
const rounds = Number(values.rounds ?? (values.quick ? 1 : USUAL_ROUNDS))
for (const bench of chosen) await runBench(bench, { quick: values.quick, rounds })
// Clients of services that are gone may linger.
process.exit()
