// npm run sim -- --seed=N --steps=M [--seeds=K] [--skip=1,2] [--trace]
import { parseArgs } from 'node:util'
import { lengthOf } from './setting.ts'
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
    steps: Number(values.steps ?? lengthOf(seed)),
    skip: new Set(values.skip.split(',').filter(Boolean).map(Number)),
    ...(values.trace && { trace: print })
  }
}

async function report(options: RunOptions, found: string): Promise<void> {
  print(`seed ${options.seed}: ${found}`)
  const { seed, steps, skip, violation } = await shrink(options)
  const left = skip.size === 0 ? '' : ` --skip=${[...skip].join(',')}`
  print(`with ${steps - skip.size} steps: ${violation}`)
  print(`npm run sim -- --seed=${seed} --steps=${steps}${left} --trace`)
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
