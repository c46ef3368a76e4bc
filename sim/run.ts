// npm run sim -- --seed=N --steps=M [--seeds=K] [--skip=0-3,5] [--trace]
import { parseArgs } from 'node:util'
import { parseRanges, replayCommand } from './replay.ts'
import { shrink } from './shrink.ts'
import { type RunOptions, simulate } from './simulation.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    seeds: { type: 'string', default: '1' },
    steps: { type: 'string' },
    skip: { type: 'string', default: '' },
    trace: { type: 'boolean', default: false }
  }
})

const print = (line: string) => process.stdout.write(`${line}\n`)

function optionsOf(seed: number): RunOptions {
  return {
    seed,
    ...(values.steps !== undefined && { steps: Number(values.steps) }),
    skip: parseRanges(values.skip),
    ...(values.trace && { trace: print })
  }
}

async function report(options: RunOptions, found: string): Promise<void> {
  print(`seed ${options.seed}: ${found}`)
  const smallest = await shrink(options)
  print(`with ${smallest.steps - smallest.skip.size} steps: ${smallest.violation.message}`)
  print(replayCommand(smallest))
}

const first = Number(values.seed)
const started = performance.now()
let effects = 0
let failed = 0
print(`seeds ${first} to ${first + Number(values.seeds) - 1}`)
for (let seed = first; seed < first + Number(values.seeds); seed++) {
  const options = optionsOf(seed)
  const ran = await simulate(options)
  effects += ran.effects
  if (ran.violation === null) continue
  failed++
  if (values.trace) print(ran.violation.message)
  else await report(options, ran.violation.message)
}
const seconds = (performance.now() - started) / 1000
print(
  `${failed} of ${values.seeds} seeds failed; ${effects} effects, ${Math.round(effects / seconds)} a second`
)
process.exitCode = failed === 0 ? 0 : 1
