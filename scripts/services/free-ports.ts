import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/**
 * Below the ports that systems give to outgoing connections: one of those would be taken while a server that had it
 * restarts. A Redis Cluster's second port, 10,000 higher, lies below them too.
 */
const FIRST = 12_000
const LAST = 21_999
const ATTEMPTS = 1000

/** A port that was given out is free until its server has started: it is not given out twice. */
const given = new Set<number>()

/** Different TCP ports of 127.0.0.1 that nobody listened on just now, and none twice. @throws Error when none is found */
export async function freePorts(count: number): Promise<number[]> {
  const servers: Server[] = []
  for (let attempt = 0; servers.length < count; attempt++) {
    if (attempt === ATTEMPTS) throw new Error(`There is no free port in ${FIRST} to ${LAST}.`)
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST + 1))
    const server = given.has(port) ? undefined : await listenOn(port)
    if (server === undefined) continue
    given.add(port)
    servers.push(server)
  }
  const ports = servers.map(server => (server.address() as { port: number }).port)
  await Promise.all(servers.map(server => new Promise(resolve => server.close(resolve))))
  return ports
}

/** Undefined where somebody listens already. */
async function listenOn(port: number): Promise<Server | undefined> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
    return server
  } catch {
    return undefined
  }
}
