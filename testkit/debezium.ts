// Debezium on a database's outbox, as deploy/debezium configures it.
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { withClient } from '../packages/server/src/adapters/postgres/bundled/with-client.ts'
import { waitUntil } from '../scripts/services/wait-until.ts'

const folder = path.resolve(import.meta.dirname, '../deploy/debezium')
const runningMs = 60_000

export interface DebeziumOptions {
  /** Of Kafka Connect's REST API. */
  connectUrl: string
  /** With the schema; its logical slot goes when the connector is disposed of, before the database may. */
  databaseUrl: string
  /** Events go to `<prefix>.events`; `fanwise` by default. The topic exists, or is made with 16 partitions. */
  prefix?: string
  /** Settings in place of those of outbox.json. */
  settings?: Readonly<Record<string, string>>
}

export interface Debezium extends AsyncDisposable {
  /** The connector's and its slot's. */
  readonly name: string
  readonly slot: string
  /** Ends the task and keeps offsets and slot. */
  stop(): Promise<void>
  /** Resolves when the task runs again. */
  resume(): Promise<void>
}

async function request(url: string, method: string, body?: unknown): Promise<Response> {
  const answer = await fetch(url, {
    method,
    signal: AbortSignal.timeout(30_000),
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' }
    })
  })
  if (answer.ok || answer.status === 404) return answer
  throw new Error(`${method} ${url}: ${answer.status} ${await answer.text()}`)
}

interface Status {
  connector?: { state: string }
  tasks?: { state: string; trace?: string }[]
}

async function untilTasks(url: string, wanted: string): Promise<void> {
  let status: Status = {}
  const reached = await waitUntil(async () => {
    status = (await (await request(`${url}/status`, 'GET')).json()) as Status
    const states = [status.connector?.state, ...(status.tasks ?? []).map(task => task.state)]
    if (states.includes('FAILED')) return true
    if (wanted === 'RUNNING' && states.length < 2) return false
    return states.every(state => state === wanted)
  }, runningMs)
  const failed = status.tasks?.find(task => task.state === 'FAILED')
  if (reached && failed === undefined) return
  throw new Error(`The connector is not ${wanted}: ${failed?.trace ?? JSON.stringify(status)}`)
}

function database(url: string): Record<string, string> {
  const { hostname, port, username, password, pathname } = new URL(url)
  return {
    'database.hostname': hostname,
    'database.port': port,
    'database.user': decodeURIComponent(username),
    'database.password': decodeURIComponent(password),
    'database.dbname': pathname.slice(1)
  }
}

function routing(prefix: string): Record<string, string> {
  const literal = prefix.replaceAll('.', '\\.')
  return {
    'topic.prefix': prefix,
    'predicates.isOutbox.pattern': `${literal}\\.public\\.outbox`,
    'transforms.outbox.route.topic.replacement': `${prefix}.\${routedByValue}`,
    'topic.creation.events.include': `${literal}\\.events`
  }
}

async function publish(databaseUrl: string): Promise<void> {
  const sql = await readFile(path.join(folder, 'publication.sql'), 'utf8')
  await withClient(databaseUrl, client => client.query(sql))
}

async function dropSlot(databaseUrl: string, slot: string): Promise<void> {
  const sql =
    'select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = $1 and not active'
  const left = 'select from pg_replication_slots where slot_name = $1'
  await withClient(databaseUrl, client =>
    waitUntil(async () => {
      await client.query(sql, [slot])
      return (await client.query(left, [slot])).rowCount === 0
    }, 10_000)
  )
}

/** Registers a connector of its own for the database and resolves when its task runs. */
export async function startDebezium(options: DebeziumOptions): Promise<Debezium> {
  const { connectUrl, databaseUrl, prefix = 'fanwise', settings = {} } = options
  const slot = `fanwise_${randomUUID().replaceAll('-', '_')}`
  const own = { ...database(databaseUrl), ...routing(prefix), 'slot.name': slot }
  const file = await readFile(path.join(folder, 'outbox.json'), 'utf8')
  await publish(databaseUrl)
  const url = `${connectUrl}/connectors/${slot}`
  const remove = async () => {
    await request(url, 'DELETE')
    await dropSlot(databaseUrl, slot)
  }
  try {
    await request(`${url}/config`, 'PUT', { ...JSON.parse(file), ...own, ...settings })
    await untilTasks(url, 'RUNNING')
  } catch (error) {
    await remove().catch(() => undefined)
    throw error
  }
  return {
    name: slot,
    slot,
    async stop() {
      await request(`${url}/stop`, 'PUT')
      await untilTasks(url, 'STOPPED')
    },
    async resume() {
      await request(`${url}/resume`, 'PUT')
      await untilTasks(url, 'RUNNING')
    },
    [Symbol.asyncDispose]: remove
  }
}
