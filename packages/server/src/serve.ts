import { once } from 'node:events'
import path from 'node:path'
import { type App, startApp } from './app.ts'
import { checkPort } from './check-port.ts'
import type { Config } from './config.ts'
import { hostOf } from './database-failure.ts'
import { DEMO, firstPerson, loadDemo } from './demo.ts'

const STOP_MS = 15_000
/** A launcher and the terminal may both pass on one Ctrl-C. */
const REPEAT_MS = 1000

/** Low enough that the demo has celebrities. */
export const DEMO_THRESHOLD = 200

/** Serves until a signal or a fatal failure; then drains. Exit code 1 after a failure. */
export async function serve(
  config: Config,
  options: { dev: boolean; demo: boolean }
): Promise<void> {
  const stop = new AbortController()
  listenForSignals(stop)
  const app = await start(config, options.dev, stop)
  try {
    if (stop.signal.aborted) return
    const demo = options.demo ? firstPerson(DEMO).id : undefined
    say(startBlock(config, app, options.dev, (await anybody(app)) ?? demo ?? 'ada'))
    if (options.demo) await loadDemo(app, stop.signal, say)
    if (!stop.signal.aborted) await once(stop.signal, 'abort')
  } finally {
    await drain(app)
  }
}

/** A start is gone on with when a signal comes, so that PostgreSQL is stopped; one that waits for a database is not. */
async function start(config: Config, dev: boolean, stop: AbortController): Promise<App> {
  await checkPort(config)
  const url = URL.parse(config.databaseUrl)
  say(
    url === null
      ? `Starting PostgreSQL on ${path.resolve(config.dataDir)} ...`
      : `Opening the database of DATABASE_URL at ${hostOf(url)} ...`
  )
  const quit = () => process.exit(process.exitCode ?? 130)
  if (url !== null) stop.signal.addEventListener('abort', quit)
  try {
    return await startApp(config, {
      dev,
      onFatal: reason => {
        process.exitCode = 1
        say(`Stopping: ${reason}`)
        stop.abort()
      }
    })
  } finally {
    stop.signal.removeEventListener('abort', quit)
  }
}

/** Somebody whose feed can be looked at. */
async function anybody({ feed }: App): Promise<string | undefined> {
  const { items } = await feed.admin.users({ limit: 1 })
  return items[0]?.id
}

async function drain(app: App): Promise<void> {
  const overdue = setTimeout(() => {
    say('Some work did not end in time; stopping anyway. Nothing acknowledged is lost.')
    process.exit(1)
  }, STOP_MS)
  await app[Symbol.asyncDispose]()
  clearTimeout(overdue)
}

function listenForSignals(stop: AbortController): void {
  let first = 0
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      if (first === 0) {
        first = performance.now()
        say(`${signal}: finishing what is at work; a second one stops at once.`)
        stop.abort()
      } else if (performance.now() - first > REPEAT_MS) process.exit(130)
    })
}

type Row = readonly [name: string, value: string]

function startBlock(config: Config, app: App, dev: boolean, person: string): string {
  const rows = [
    ...(dev ? [['Console', `${app.url}/`] as Row] : []),
    ...(config.roles.includes('api') ? apiRows(config, app, person) : []),
    ...commonRows(config, app)
  ]
  const lines = rows.map(([name, value]) => `  ${name.padEnd(9)}${value}\n`).join('')
  const notes = app.notes.map(note => `  ${note}\n`).join('')
  return `\n  Fanwise is ready.\n\n${lines}${notes && `\n${notes}`}`
}

function apiRows({ jwksUrl }: Config, { url }: App, person: string): readonly Row[] {
  return [
    ['API', `${url}/v1`],
    ['Docs', `${url}/docs`],
    ...(jwksUrl === '' ? [['Token', `npx fanwise token ${person}`] as Row] : [])
  ]
}

function commonRows(config: Config, { url, mode, dataDir, secrets }: App): readonly Row[] {
  return [
    ['Health', `${url}/readyz`],
    ['Metrics', `${url}/metrics`],
    ['Mode', `${mode}, preset ${config.preset}, roles ${config.roles.join(' ')}`],
    ['Data', dataDir ?? 'the database of DATABASE_URL'],
    ...(secrets.file === null ? [] : [['Secrets', secrets.file] as Row])
  ]
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
