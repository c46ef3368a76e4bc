import path from 'node:path'
import { FanwiseAdmin } from '@fanwise/sdk'
import { folderOwner } from './adapters/postgres/bundled/folder-hold.ts'
import { findFolderOwner } from './adapters/postgres/bundled/index.ts'
import { startApp } from './app.ts'
import type { Connection } from './cli/runtime.ts'
import type { Config } from './config.ts'
import { readSecrets } from './secrets.ts'

/** Verifying or rebuilding one reader may take a while. */
const TIMEOUT_MS = 120_000

/**
 * The server of --url, or the one that has the feeds of the database in its memory, or one in this process. A command
 * never starts a second server beside one whose feeds it would not see.
 */
export async function connect(config: Config): Promise<Connection> {
  const url = config.url || (await runningUrl(config))
  const folder = path.resolve(config.dataDir)
  if (url === null) return inProcess(config, folder)
  const { serverKey } = await readSecrets(config)
  const admin = new FanwiseAdmin({ url, serverKey, timeoutMs: TIMEOUT_MS })
  // Whether it is there and takes the key is told before a command begins its work.
  await admin.users({ limit: 1 })
  return { admin, as: user => admin.as(user), url, folder, [Symbol.asyncDispose]: async () => {} }
}

/**
 * Where the server that holds the data folder, or the database of DATABASE_URL, listens on this machine; null when none
 * does. @throws Error when it has no HTTP port, or the database does not answer
 */
export async function runningUrl(config: Config): Promise<string | null> {
  const external = config.databaseUrl !== ''
  const owner = external
    ? await folderOwner(config.databaseUrl)
    : await findFolderOwner(path.resolve(config.dataDir, 'postgres'))
  if (owner === undefined) return null
  if (owner.port === undefined)
    throw new Error(
      `Process ${owner.pid} uses ${external ? 'the database' : config.dataDir} without an HTTP server; ` +
        'stop it, or start it with the role api, or name another server with --url.'
    )
  const host = ['0.0.0.0', '::'].includes(config.host) ? '127.0.0.1' : config.host
  return `http://${host.includes(':') ? `[${host}]` : host}:${owner.port}`
}

/**
 * Beside a fleet that shares its feeds a command only asks and writes: as a worker for a few seconds it would take lanes
 * and partitions from the others.
 */
export function rolesOfCommand({ redisUrls, roles }: Pick<Config, 'redisUrls' | 'roles'>) {
  return redisUrls.length > 0 ? (['api'] as const) : roles
}

async function inProcess(config: Config, folder: string): Promise<Connection> {
  const app = await startApp({ ...config, roles: rolesOfCommand(config) }, { listen: false })
  return {
    admin: app.feed.admin,
    as: app.feed.as,
    url: null,
    folder,
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]()
  }
}
