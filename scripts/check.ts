// npm run check: everything that reads the sources without running them, side by side.
import { execFile } from 'node:child_process'
import path from 'node:path'
import { longFiles, maxLines } from './long-files.ts'

interface Result {
  ok: boolean
  output: string
}

interface Check {
  name: string
  run(): Promise<Result>
}

const root = path.dirname(import.meta.dirname)

/** Runs a Node program of the checkout; what it prints matters only if it fails. */
function node(...args: string[]): Promise<Result> {
  // Biome makes its folder in the home of the user otherwise.
  const env = { ...process.env, XDG_CACHE_HOME: path.join(root, 'node_modules/.cache') }
  const options = { cwd: root, env, maxBuffer: 64 * 1024 * 1024 }
  return new Promise(resolve => {
    execFile(process.execPath, args, options, (error, stdout, stderr) =>
      resolve({ ok: error === null, output: stdout + stderr })
    )
  })
}

async function lines(): Promise<Result> {
  const long = longFiles(root)
  const output = long.map(({ file, lines }) => `${file}: ${lines} lines, over ${maxLines}\n`)
  return { ok: long.length === 0, output: output.join('') }
}

const checks: readonly Check[] = [
  {
    name: 'biome',
    run: () => node('node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.')
  },
  { name: 'tsc', run: () => node('node_modules/typescript/bin/tsc', '-p', 'tsconfig.json') },
  { name: 'layers', run: () => node('--test', 'scripts/layers.test.ts') },
  { name: 'lines', run: lines }
]

async function report({ name, run }: Check): Promise<boolean> {
  const start = performance.now()
  const { ok, output } = await run()
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  process.stdout.write(
    `${ok ? '' : output}${ok ? 'ok    ' : 'FAILED'} ${name.padEnd(7)} ${seconds} s\n`
  )
  return ok
}

const passed = await Promise.all(checks.map(report))
process.exitCode = passed.every(Boolean) ? 0 : 1
