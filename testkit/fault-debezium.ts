// A connector of Debezium that is stopped and paused, and whose failures an operator would restart.
import { waitUntil } from '../scripts/services/wait-until.ts'
import { startDebezium } from './debezium.ts'
import type { Victim } from './fault-random.ts'
import type { Fleet } from './fleet.ts'

/** How often the slot moves on, ms: events count as carried only then. */
const HEARTBEAT_MS = '250'

const RUNNING_MS = 90_000

export interface Connector extends Victim {
  /** For the outbox of a fleet; resolves when its task runs. */
  register(fleet: Fleet): Promise<void>
  /** Restarts what has failed until all runs; returns how often that was needed. */
  mend(): Promise<number>
}

interface Status {
  readonly connector: { readonly state: string }
  readonly tasks: readonly { readonly state: string }[]
}

/** @param connectUrl of Kafka Connect's REST API */
export function connectorOf(connectUrl: string): Connector {
  let url = ''
  const ask = (method: string, path: string) =>
    fetch(`${url}${path}`, { method, signal: AbortSignal.timeout(30_000) })
  return {
    name: 'connector',
    async register({ databaseUrl, prefix }) {
      const settings = { 'heartbeat.interval.ms': HEARTBEAT_MS }
      const { name } = await startDebezium({ connectUrl, databaseUrl, prefix, settings })
      url = `${connectUrl}/connectors/${name}`
    },
    async kill() {
      await ask('PUT', '/stop')
    },
    async start() {
      await ask('PUT', '/resume')
    },
    sleep: () => void ask('PUT', '/pause').catch(() => undefined),
    wake: () => void ask('PUT', '/resume').catch(() => undefined),
    mend: () => mend(ask)
  }
}

async function mend(ask: (method: string, path: string) => Promise<Response>): Promise<number> {
  let restarts = 0
  const runs = await waitUntil(
    async () => {
      const { connector, tasks } = (await (await ask('GET', '/status')).json()) as Status
      const states = [connector.state, ...tasks.map(({ state }) => state)]
      if (states.includes('FAILED')) {
        restarts++
        await ask('POST', '/restart?includeTasks=true&onlyFailed=true')
      } else if (states.some(state => state === 'STOPPED' || state === 'PAUSED'))
        await ask('PUT', '/resume')
      return tasks.length > 0 && states.every(state => state === 'RUNNING')
    },
    RUNNING_MS,
    500
  )
  if (!runs)
    throw new Error(`The connector does not run: ${await (await ask('GET', '/status')).text()}`)
  return restarts
}
