import path from 'node:path'
import { createClient } from 'redis'
import { ChildServer } from './child-server.ts'
import { findProgram } from './find-program.ts'
import { installDebian } from './install-debian.ts'

const settings = {
  bind: '127.0.0.1',
  save: '',
  appendonly: 'no',
  maxmemory: '512mb',
  'maxmemory-policy': 'volatile-lru',
  'enable-debug-command': 'local',
  'repl-diskless-sync-delay': '0'
}

/** The path of Redis or Valkey, which is installed if there is none. */
export async function redisProgram(): Promise<string> {
  const found = () => findProgram('redis-server') ?? findProgram('valkey-server')
  if (found() === undefined) await installDebian('redis-server')
  const program = found()
  if (program === undefined) throw new Error('redis-server was installed and is not in PATH.')
  return program
}

/** Sends one command over a connection of its own. */
export async function askRedis(port: number, ...command: string[]): Promise<unknown> {
  const socket = {
    host: '127.0.0.1',
    port,
    reconnectStrategy: false,
    connectTimeout: 2_000
  } as const
  const client = createClient({ socket, disableClientInfo: true })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await client.sendCommand(command)
  } finally {
    client.destroy()
  }
}

export interface RedisServerOptions {
  name: string
  program: string
  /** The parent of its folder. A `dump.rdb` in its folder is loaded at the start. */
  folder: string
  port: number
  settings?: Readonly<Record<string, string>>
}

/** A Redis server that keeps nothing on disk; not yet started. */
export function redisServer(options: RedisServerOptions): ChildServer {
  const { name, program, port } = options
  const folder = path.join(options.folder, name)
  const all = { ...settings, ...options.settings, port: `${port}`, dir: folder }
  // Kept as the arguments were, the name tells the folder.
  const named = { ...all, 'proc-title-template': `{title} {listen-addr} ${folder}` }
  return new ChildServer({
    name,
    port,
    folder,
    command: [program, ...Object.entries(named).flatMap(([key, value]) => [`--${key}`, value])],
    isReady: async () => (await askRedis(port, 'PING')) === 'PONG',
    readyMs: 30_000
  })
}
