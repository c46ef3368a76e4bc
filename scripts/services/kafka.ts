import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Admin } from '@platformatic/kafka'
import { ChildServer } from './child-server.ts'
import { freePorts } from './free-ports.ts'
import { javaCommand, properties } from './java-command.ts'
import { runCommand } from './run-command.ts'
import type { Service } from './service.ts'

const clusterId = 'RmFud2lzZVNlcnZpY2VzMQ'

/** Short times: a test that kills a consumer waits for the group to notice. */
const groups = {
  'group.initial.rebalance.delay.ms': 0,
  'group.min.session.timeout.ms': 1_000,
  'group.consumer.min.session.timeout.ms': 1_000,
  'group.consumer.session.timeout.ms': 6_000,
  'group.consumer.min.heartbeat.interval.ms': 200,
  'group.consumer.heartbeat.interval.ms': 500
}

/** Few partitions of what Kafka keeps for itself: each is a folder, and time at the start. */
function internalTopics(replicas: number) {
  return {
    'offsets.topic.num.partitions': 8,
    'offsets.topic.replication.factor': replicas,
    'transaction.state.log.num.partitions': 4,
    'transaction.state.log.replication.factor': replicas,
    'transaction.state.log.min.isr': 1,
    'share.coordinator.state.topic.num.partitions': 1,
    'share.coordinator.state.topic.replication.factor': replicas,
    'share.coordinator.state.topic.min.isr': 1
  }
}

interface Node {
  id: number
  port: number
  controllerPort: number
  /** Where clients are told to reach it. */
  advertised: number
}

function configOf(node: Node, nodes: readonly Node[], folder: string) {
  const voters = nodes.map(({ id, controllerPort }) => `${id}@127.0.0.1:${controllerPort}`)
  return {
    'process.roles': 'broker,controller',
    'node.id': node.id,
    'controller.quorum.voters': voters.join(','),
    'controller.listener.names': 'CONTROLLER',
    listeners: `PLAINTEXT://127.0.0.1:${node.port},CONTROLLER://127.0.0.1:${node.controllerPort}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${node.advertised}`,
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'inter.broker.listener.name': 'PLAINTEXT',
    'log.dirs': path.join(folder, 'data'),
    // Topics have chosen partition counts: whoever forgets one shall see an error.
    'auto.create.topics.enable': 'false',
    'default.replication.factor': nodes.length,
    'min.insync.replicas': Math.min(2, nodes.length),
    'log.cleaner.dedupe.buffer.size': 8 * 2 ** 20,
    'log.retention.check.interval.ms': 1_000,
    'log.initial.task.delay.ms': 1_000,
    ...internalTopics(nodes.length),
    ...groups
  }
}

/** Whether a broker answers and knows `count` brokers. */
async function answers(port: number, count: number): Promise<boolean> {
  const bootstrapBrokers = [`127.0.0.1:${port}`]
  const times = { timeout: 2_000, connectTimeout: 1_000, retries: 0 }
  const admin = new Admin({ clientId: 'services', bootstrapBrokers, ...times })
  try {
    const { brokers } = await admin.metadata({ topics: [] })
    return brokers.size === count
  } finally {
    await admin.close()
  }
}

async function makeServer(node: Node, nodes: readonly Node[], parent: string) {
  const name = nodes.length === 1 ? 'kafka' : `kafka-${node.id}`
  const folder = path.join(parent, name)
  await mkdir(folder, { recursive: true })
  const file = path.join(folder, 'server.properties')
  await writeFile(file, properties(configOf(node, nodes, folder)))
  const format = await javaCommand('kafka.tools.StorageTool', { folder, heapMb: 128 })
  await runCommand([...format, 'format', '-t', clusterId, '-c', file], { timeoutMs: 60_000 })
  return new ChildServer({
    name,
    port: node.port,
    folder,
    command: [...(await javaCommand('kafka.Kafka', { folder, heapMb: 512 })), file],
    isReady: () => answers(node.port, nodes.length),
    readyMs: 60_000
  })
}

export interface KafkaOptions {
  /** 1 by default. */
  brokers?: 1 | 3
  /** The port by which clients reach the broker of a port, such as a proxy's. */
  advertise?: (port: number) => Promise<number>
}

/** Kafka in KRaft mode, each broker a controller too. */
export async function startKafka(
  folder: string,
  { brokers = 1, advertise = async port => port }: KafkaOptions = {}
): Promise<Service> {
  const ports = await freePorts(2 * brokers)
  const nodes = await Promise.all(
    ports.slice(0, brokers).map(async (port, i) => ({
      id: i + 1,
      port,
      controllerPort: ports[brokers + i] as number,
      advertised: await advertise(port)
    }))
  )
  const servers = await Promise.all(nodes.map(node => makeServer(node, nodes, folder)))
  await Promise.all(servers.map(server => server.start()))
  const url = nodes.map(({ advertised }) => `127.0.0.1:${advertised}`).join(',')
  return { name: 'kafka', url, servers }
}
