import type { ChildServer } from './child-server.ts'
import { freePorts } from './free-ports.ts'
import { askRedis, redisProgram, redisServer } from './redis-server.ts'
import type { Service } from './service.ts'
import { waitUntil } from './wait-until.ts'

const slots = 16_384
const masters = 3
const joinMs = 30_000

type Settings = Readonly<Record<string, string>>

function nodes(folder: string, program: string, ports: number[], more: Settings): ChildServer[] {
  const count = ports.length / 2
  return ports.slice(0, count).map((port, i) =>
    redisServer({
      name: `redis-cluster-${i + 1}`,
      program,
      folder,
      port,
      settings: {
        ...more,
        'cluster-enabled': 'yes',
        'cluster-node-timeout': '3000',
        'cluster-port': `${ports[count + i]}`
      }
    })
  )
}

async function giveSlots(servers: readonly ChildServer[]): Promise<void> {
  for (const [i, { port }] of servers.entries()) {
    const first = Math.ceil((i * slots) / masters)
    const last = Math.ceil(((i + 1) * slots) / masters) - 1
    await askRedis(port, 'CLUSTER', 'ADDSLOTSRANGE', `${first}`, `${last}`)
    await askRedis(port, 'CLUSTER', 'SET-CONFIG-EPOCH', `${i + 1}`)
  }
}

async function meet(servers: readonly ChildServer[], busPorts: number[]): Promise<void> {
  const [first] = servers
  for (const { port } of servers.slice(1)) {
    await askRedis(port, 'CLUSTER', 'MEET', '127.0.0.1', `${first?.port}`, `${busPorts[0]}`)
  }
}

async function knows(port: number, count: number, state: string): Promise<boolean> {
  const info = String(await askRedis(port, 'CLUSTER', 'INFO'))
  return info.includes(`cluster_known_nodes:${count}\r`) && info.includes(`cluster_state:${state}`)
}

async function allKnow(servers: readonly ChildServer[]): Promise<void> {
  const known = await waitUntil(async () => {
    const answers = servers.map(({ port }) => knows(port, servers.length, 'ok'))
    return (await Promise.all(answers)).every(Boolean)
  }, joinMs)
  if (!known) throw new Error(`The Redis servers did not form a cluster within ${joinMs / 1000} s.`)
}

async function follow(replica: ChildServer, master: ChildServer): Promise<void> {
  const id = String(await askRedis(master.port, 'CLUSTER', 'MYID'))
  await askRedis(replica.port, 'CLUSTER', 'REPLICATE', id)
  const linked = async () =>
    String(await askRedis(replica.port, 'INFO', 'replication')).includes('master_link_status:up')
  if (await waitUntil(linked, joinMs)) return
  throw new Error(`${replica.name} did not become a replica of ${master.name}.`)
}

export interface RedisClusterOptions {
  /** Of each master: 0 (default) or 1. The servers 4 to 6 then follow 1 to 3. */
  replicas?: number
  settings?: Settings
}

/** A Redis Cluster of three masters. */
export async function startRedisCluster(
  folder: string,
  { replicas = 0, settings = {} }: RedisClusterOptions = {}
): Promise<Service> {
  const program = await redisProgram()
  const count = masters * (1 + replicas)
  const ports = await freePorts(2 * count)
  const servers = nodes(folder, program, ports, settings)
  await Promise.all(servers.map(server => server.start()))
  await giveSlots(servers.slice(0, masters))
  await meet(servers, ports.slice(count))
  await allKnow(servers)
  const pairs = servers.slice(masters).map((replica, i) => [replica, servers[i % masters]] as const)
  await Promise.all(pairs.map(([replica, master]) => follow(replica, master as ChildServer)))
  const url = servers.map(({ port }) => `redis://127.0.0.1:${port}`).join(',')
  return { name: 'redis-cluster', url, servers }
}
