import { createServer } from 'node:net'
import path from 'node:path'
import { FolderInUseError } from './adapters/postgres/bundled/bundled-postgres-error.ts'
import { findFolderOwner } from './adapters/postgres/bundled/index.ts'
import type { Config } from './config.ts'

/**
 * Whether the server will be able to listen, told before a database is made or recovered: that takes seconds.
 * @throws FolderInUseError when the port belongs to the server of the data folder; what `listen` fails with otherwise
 */
export async function checkPort(config: Config): Promise<void> {
  const { host, port, databaseUrl, dataDir } = config
  if (port === 0) return
  try {
    await tryPort(host, port)
  } catch (error) {
    const folder = path.resolve(dataDir, 'postgres')
    const owner =
      databaseUrl === '' ? await findFolderOwner(folder).catch(() => undefined) : undefined
    throw owner?.port === port ? new FolderInUseError(path.resolve(dataDir), owner) : error
  }
}

async function tryPort(host: string, port: number): Promise<void> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen({ host, port }, resolve)
  })
  await new Promise(resolve => server.close(resolve))
}
