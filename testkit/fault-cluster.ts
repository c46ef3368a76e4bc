// What operators do to a Redis Cluster.
import { askRedis } from '../scripts/services/redis-server.ts'
import type { Server } from '../scripts/services/server.ts'

export function askNode({ port }: Server, ...command: string[]): Promise<unknown> {
  return askRedis(port, ...command)
}

/**
 * Moves every slot of `from` that holds a key that fits, key by key, as a resharding does; returns how many.
 * @param servers all of the cluster
 */
export async function moveSlots(
  from: Server,
  to: Server,
  pattern: string,
  servers: readonly Server[]
): Promise<number> {
  const fromId = String(await askNode(from, 'CLUSTER', 'MYID'))
  const toId = String(await askNode(to, 'CLUSTER', 'MYID'))
  const keys = (await askNode(from, 'KEYS', pattern)) as string[]
  const slots = new Set<string>()
  for (const key of keys) slots.add(String(await askNode(from, 'CLUSTER', 'KEYSLOT', key)))
  for (const slot of slots) {
    await askNode(to, 'CLUSTER', 'SETSLOT', slot, 'IMPORTING', fromId)
    await askNode(from, 'CLUSTER', 'SETSLOT', slot, 'MIGRATING', toId)
    await migrateKeys(from, to, slot)
    for (const server of [to, from, ...servers])
      await askNode(server, 'CLUSTER', 'SETSLOT', slot, 'NODE', toId).catch(assertReplica)
  }
  return slots.size
}

async function migrateKeys(from: Server, to: Server, slot: string): Promise<void> {
  for (;;) {
    const keys = (await askNode(from, 'CLUSTER', 'GETKEYSINSLOT', slot, '1')) as string[]
    const [key] = keys
    if (key === undefined) return
    await askNode(from, 'MIGRATE', '127.0.0.1', `${to.port}`, key, '0', '5000')
  }
}

/** Replicas learn of slots from their masters, and refuse to be told. */
function assertReplica(error: unknown): void {
  if (!String(error).includes('only with masters')) throw error
}
