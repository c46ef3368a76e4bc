// npm test [-- part/of/a/path ...] [--test-name-pattern=...]: the checks, then every test file that
// is chosen, all on one PostgreSQL; with CI=true also on Redis, Kafka and Kafka Connect.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { BundledPostgresError } from '../packages/server/src/adapters/postgres/bundled/bundled-postgres-error.ts'
import { startTestPostgres } from '../testkit/postgres.ts'
import { runTests } from './run-tests.ts'
import { serviceNames, variableOf } from './services/service.ts'
import { startServices } from './services/start-services.ts'
import { isUp, readState } from './services/state.ts'
import { choose } from './suites.ts'
import { runLimitMs } from './time-limits.ts'

const root = path.dirname(import.meta.dirname)
const ci = process.env.CI === 'true'
const interrupted = new AbortController()

function print(...lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`)
}

async function check(): Promise<boolean> {
  const args = [...process.execArgv, path.join(root, 'scripts/check.ts')]
  const child = spawn(process.execPath, args, { stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  return code === 0
}

/** One database server for all test files; each makes databases of its own in it. */
async function withPostgres<T>(work: () => Promise<T>): Promise<T> {
  if (process.env.FANWISE_TEST_DATABASE_URL) return work()
  const postgres = await startTestPostgres()
  process.env.FANWISE_TEST_DATABASE_URL = postgres.url
  try {
    return await work()
  } finally {
    await postgres.stop()
  }
}

/** Every service for all test files, started and even installed where the environment names none. */
async function withServices<T>(work: () => Promise<T>): Promise<T> {
  const start = performance.now()
  await using services = await startServices(serviceNames, {
    postgres: { synchronous_commit: 'off' }
  })
  for (const name of serviceNames) process.env[variableOf(name)] = services[name].url
  print(`Services ready after ${((performance.now() - start) / 1000).toFixed(1)} s.`)
  return await work()
}

/** What `npm run services up` keeps running, but PostgreSQL: its own one is faster. */
async function withRunningServices<T>(work: () => Promise<T>): Promise<T> {
  const services = (await readState())?.services.filter(isUp) ?? []
  for (const { name, url } of services) {
    if (name !== 'postgres') process.env[variableOf(name)] ??= url
  }
  return await withPostgres(work)
}

/** @returns what is to be said of skipped suites and tests, and whether all is well */
async function runChosen(filters: string[], namePatterns: string[]): Promise<boolean> {
  const { files, skipped } = choose(root, filters, ci)
  if (files.length === 0) {
    print(`No test file has ${filters.join(' or ')} in its path.`)
    return false
  }
  const { signal } = interrupted
  const within = ci ? withServices : withRunningServices
  const outcome = await within(() => runTests({ files, namePatterns, signal }))
  const all = [...skipped, ...outcome.skipped]
  if (all.length > 0) print('', 'Skipped:', ...all.map(line => `  ${line}`))
  if (ci && all.length > 0) print('With CI=true nothing may be skipped.')
  return outcome.ok && !(ci && all.length > 0)
}

/** What is missing to run tests at all is told, and a defect of this script shows where it is. */
function cannotRun(error: unknown): false {
  if (!(error instanceof BundledPostgresError)) throw error
  print(
    `The tests were not run: they need a PostgreSQL. ${error.message}`,
    'Tests take yours from FANWISE_TEST_DATABASE_URL.'
  )
  return false
}

function interruptBy(signal: NodeJS.Signals): void {
  process.on(signal, () => {
    interrupted.abort()
    process.exitCode = signal === 'SIGINT' ? 130 : 143
  })
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'test-name-pattern': { type: 'string', multiple: true, default: [] } }
})
interruptBy('SIGINT')
interruptBy('SIGTERM')
setTimeout(() => {
  print(`The run is ended: it took over ${runLimitMs / 60_000} min.`)
  interrupted.abort()
}, runLimitMs).unref()

// Who names files is trying something out: the checks are for the whole.
const checked = (positionals.length > 0 && !ci) || (await check())
const passed =
  checked &&
  !interrupted.signal.aborted &&
  (await runChosen(positionals, values['test-name-pattern']).catch(cannotRun))
if (!checked) print('The tests were not run: first come the checks above (npm run fix mends most).')
if (!passed) process.exitCode ??= 1
