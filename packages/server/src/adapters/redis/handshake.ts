import type { Clock } from '../../ports/clock.ts'
import { RedisFailure } from './failure.ts'
import type { Link, Reply } from './link.ts'

/** What a server says of itself. */
export interface Server {
  readonly clientId: string
  readonly runId: string
  /** Changes with the run id, and when a replica is promoted. */
  readonly identity: string
  /** Added to the monotonic clock it gives the server's Unix ms. */
  readonly offsetMs: number
}

/** @throws RedisFailure readonly when the server is a replica */
export async function meet(link: Link, clock: Pick<Clock, 'monotonic'>): Promise<Server> {
  const begun = clock.monotonic()
  const time = link.send(['TIME']).then(reply => ({ reply, ended: clock.monotonic() }))
  const rest = Promise.all([
    link.send(['CLIENT', 'ID']),
    link.send(['INFO', 'server']),
    link.send(['INFO', 'replication'])
  ])
  const [{ reply, ended }, [clientId, server, replication]] = await Promise.all([time, rest])
  const runId = field(server, 'run_id')
  return {
    clientId: String(clientId),
    runId,
    identity: `${runId}:${replicationId(replication)}`,
    offsetMs: offsetOf(reply, begun, ended)
  }
}

export function offsetOf(time: Reply, begun: number, ended: number): number {
  const [seconds, micros] = time as [string, string]
  return Number(seconds) * 1000 + Number(micros) / 1000 - (begun + ended) / 2
}

export function replicationId(info: Reply): string {
  if (field(info, 'role') !== 'master') throw new RedisFailure('readonly', 'READONLY a replica')
  return field(info, 'master_replid')
}

function field(info: Reply, name: string): string {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(String(info))?.[1] ?? ''
}
