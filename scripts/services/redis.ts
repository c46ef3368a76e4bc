import { freePorts } from './free-ports.ts'
import { redisProgram, redisServer } from './redis-server.ts'
import type { Service } from './service.ts'

/** One Redis server. */
export async function startRedis(
  folder: string,
  settings: Readonly<Record<string, string>> = {}
): Promise<Service> {
  const program = await redisProgram()
  const [port] = await freePorts(1)
  const server = redisServer({ name: 'redis', program, folder, port: port as number, settings })
  await server.start()
  return { name: 'redis', url: `redis://127.0.0.1:${server.port}`, servers: [server] }
}
