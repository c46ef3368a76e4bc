import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { ChildServer } from './child-server.ts'
import { freePorts } from './free-ports.ts'
import { jars } from './jars.ts'
import { javaCommand, properties } from './java-command.ts'
import type { Service } from './service.ts'

/** A distributed worker keeps what it is told in Kafka, so that kill -9 forgets nothing. */
function configOf(kafka: string, port: number, plugins: string) {
  return {
    'bootstrap.servers': kafka,
    'group.id': 'connect',
    listeners: `http://127.0.0.1:${port}`,
    'plugin.path': plugins,
    'plugin.discovery': 'service_load',
    'key.converter': 'org.apache.kafka.connect.storage.StringConverter',
    'value.converter': 'org.apache.kafka.connect.storage.StringConverter',
    'config.storage.topic': 'connect-configs',
    'config.storage.replication.factor': -1,
    'offset.storage.topic': 'connect-offsets',
    'offset.storage.partitions': 1,
    'offset.storage.replication.factor': -1,
    'status.storage.topic': 'connect-status',
    'status.storage.partitions': 1,
    'status.storage.replication.factor': -1,
    'offset.flush.interval.ms': 1_000,
    // Of the workers' own group: a killed worker's connectors are taken up again soon.
    'session.timeout.ms': 6_000,
    'heartbeat.interval.ms': 1_000,
    'scheduled.rebalance.max.delay.ms': 0
  }
}

/** Kafka Connect with Debezium's PostgreSQL connector on its plugin path. */
export async function startConnect(parent: string, kafka: string): Promise<Service> {
  const folder = path.join(parent, 'connect')
  await mkdir(folder, { recursive: true })
  const plugins = await jars('debezium')
  const [port = 0] = await freePorts(1)
  const file = path.join(folder, 'worker.properties')
  await writeFile(file, properties(configOf(kafka, port, plugins)))
  const main = 'org.apache.kafka.connect.cli.ConnectDistributed'
  const url = `http://127.0.0.1:${port}`
  const server = new ChildServer({
    name: 'connect',
    port,
    folder,
    command: [...(await javaCommand(main, { folder, heapMb: 512 })), file],
    isReady: async () =>
      (await fetch(`${url}/connectors`, { signal: AbortSignal.timeout(2_000) })).ok,
    readyMs: 90_000
  })
  await server.start()
  return { name: 'connect', url, servers: [server] }
}
