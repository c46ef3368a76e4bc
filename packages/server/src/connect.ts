import path from 'node:path'
import { FanwiseAdmin } from '@fanwise/sdk'
import { findFolderOwner } from './adapters/postgres/bundled/index.ts'
import { startApp } from './app.ts'
import type { Connection } from './cli/runtime.ts'
import type { Config } from './config.ts'
import { readSecrets } from './secrets.ts'

/** Verifying or rebuilding one reader may take a while. */
const TIMEOUT_MS = 120_000

/** The server of --url, or the one that uses the data folder, or one in this process. */
export async function connect(config: Config): Promise<Connection> {
  const url = config.url || (await runningUrl(config))
  if (url === null) return inProcess(config)
  const { serverKey } = await readSecrets(config)
  const admin = new FanwiseAdmin({ url, serverKey, timeoutMs: TIMEOUT_MS })
  return { admin, as: user => admin.as(user), url, [Symbol.asyncDispose]: async () => {} }
}

/** Where the server on this data folder listens; null when none runs. @throws Error when it has no HTTP port */
export async function runningUrl(config: Config): Promise<string | null> {
  if (config.databaseUrl !== '') return null
  const owner = await findFolderOwner(path.resolve(config.dataDir, 'postgres'))
  if (owner === undefined) return null
  if (owner.port === undefined)
    throw new Error(
      `Process ${owner.pid} uses ${config.dataDir} without an HTTP server; stop it, or start it with the role api.`
    )
  const host = ['0.0.0.0', '::'].includes(config.host) ? '127.0.0.1' : config.host
  return `http://${host.includes(':') ? `[${host}]` : host}:${owner.port}`
}

async function inProcess(config: Config): Promise<Connection> {
  const app = await startApp(config, { listen: false })
  return {
    admin: app.feed.admin,
    as: app.feed.as,
    url: null,
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]()
  }
}
