// npm run services up|down|status|env [postgres redis redis-cluster kafka connect]: the services of
// distributed mode, for people. They stay until `down`, which also removes their data. `env` prints what a
// shell evaluates so that `npx fanwise start` and the tests find them.
import { table } from '../packages/server/src/cli/table.ts'
import { isServiceName, type ServiceName, serviceNames, variableOf } from './services/service.ts'
import { down, up } from './services/stack.ts'
import { isUp, type KeptService, readState } from './services/state.ts'

const usage = `Usage: npm run services up|down|status|env [${serviceNames.join('|')} ...]`

function print(...lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`)
}

function rowOf(service: KeptService): string[] {
  const { name, url, servers } = service
  const pids = servers.map(({ pid }) => pid).join(' ')
  const state = servers.length === 0 ? 'environment' : isUp(service) ? 'up' : 'ended'
  return [name, state, pids, url, servers[0]?.logFile ?? '']
}

function show(services: readonly KeptService[]): void {
  if (services.length === 0) print('Nothing runs.')
  else print(...table([['SERVICE', 'STATE', 'PIDS', 'URL', 'LOG'], ...services.map(rowOf)]))
}

/** The settings by which a server finds them. One Redis goes before a cluster. */
const settings: Partial<Record<ServiceName, string>> = {
  postgres: 'DATABASE_URL',
  'redis-cluster': 'FANWISE_REDIS_URL',
  redis: 'FANWISE_REDIS_URL',
  kafka: 'FANWISE_KAFKA_BROKERS'
}

function exports(services: readonly KeptService[]): string[] {
  const urls = new Map(services.map(({ name, url }) => [name, url]))
  const lines = new Map<string, string>()
  for (const [name, setting] of Object.entries(settings)) {
    const url = urls.get(name as ServiceName)
    if (url !== undefined) lines.set(setting, url)
  }
  for (const [name, url] of urls) lines.set(variableOf(name), url)
  return [...lines].map(([name, url]) => `export ${name}='${url}'`)
}

async function kept(wanted: readonly ServiceName[]): Promise<KeptService[]> {
  return ((await readState())?.services ?? []).filter(({ name }) => wanted.includes(name))
}

async function main(command = '', names: readonly string[]): Promise<void> {
  const wrong = names.filter(name => !isServiceName(name))
  if (wrong.length > 0) throw new Error(`There is no service ${wrong.join(', ')}. ${usage}`)
  const wanted = (names.length === 0 ? serviceNames : names) as readonly ServiceName[]
  if (command === 'up') {
    const start = performance.now()
    const services = await up(wanted)
    show(services)
    print('', ...exports(services), '', 'In another shell: eval "$(npm run -s services env)"')
    print('', `Ready after ${((performance.now() - start) / 1000).toFixed(1)} s.`)
  } else if (command === 'down') {
    const ended = await down(wanted)
    print(ended.length === 0 ? 'Nothing runs.' : `Ended ${ended.map(s => s.name).join(', ')}.`)
  } else if (command === 'status') {
    show(await kept(wanted))
  } else if (command === 'env') {
    print(...exports(await kept(wanted)))
  } else throw new Error(usage)
}

try {
  await main(process.argv[2], process.argv.slice(3))
  // PostgreSQL's session that guards its folder would end with an error otherwise, and the clients linger.
  process.exit()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exit(1)
}
