import path from 'node:path'
import { FanwiseError } from '@fanwise/sdk'
import type { Config } from './config.ts'
import { databaseFailure } from './database-failure.ts'

/** Reasons of the operating system, as the end of a sentence. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'there is no permission',
  EPERM: 'there is no permission',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is no folder',
  EISDIR: 'it is a folder',
  ELOOP: 'its links lead in a circle'
}

type Errno = Partial<NodeJS.ErrnoException> & { readonly address?: string; readonly port?: number }

/** A failure of the surroundings, with the setting that it is about and the way out; others stay as they are. */
export function advise(error: unknown, config: Config): unknown {
  const message =
    error instanceof FanwiseError
      ? serverFailure(error)
      : (listenFailure(error as Errno, config) ?? folderFailure(error as Errno, config))
  if (message !== undefined) return new Error(message, { cause: error })
  if (config.databaseUrl === '') return error
  return databaseFailure(config.databaseUrl, error) ?? error
}

function serverFailure({ status, code, message }: FanwiseError): string | undefined {
  if (status === 0 && code === 'unavailable')
    return `${message} Start it, or name another server with --url (FANWISE_URL).`
  if (status === 401 || code === 'server_key_required')
    return (
      'The server does not accept the server key. Set FANWISE_SERVER_KEY (--server-key) to the one that it runs ' +
      'with; a generated one is in secrets.json of its data folder.'
    )
  if (message.includes('does not come from Fanwise'))
    return `${message} Name the server with --url (FANWISE_URL).`
  return undefined
}

function listenFailure({ syscall, code }: Errno, { host, port }: Config): string | undefined {
  if (syscall === 'listen' && code === 'EADDRINUSE')
    return `Port ${port} of ${host} is in use by another program. Choose another one with --port (FANWISE_PORT); 0 takes a free one.`
  if (syscall === 'listen' && code === 'EACCES')
    return `This user may not listen on port ${port}. Choose one above 1023 with --port (FANWISE_PORT).`
  if (code === 'EADDRNOTAVAIL' || syscall === 'getaddrinfo')
    return code === 'EADDRNOTAVAIL'
      ? `This machine has no address ${host}. Choose another one with --host (FANWISE_HOST).`
      : undefined
  return undefined
}

function folderFailure({ code = '', path: file }: Errno, config: Config): string | undefined {
  const reason = REASONS[code]
  if (reason === undefined || file === undefined || !concerns(config.dataDir, file))
    return undefined
  return (
    `FANWISE_DATA_DIR: ${file} can't be made or written: ${reason}. ` +
    'Choose a folder that this user may write with --data-dir.'
  )
}

/** Whether a file lies in the data folder, or is one of its parents. */
function concerns(dataDir: string, file: string): boolean {
  const folder = `${path.resolve(dataDir)}${path.sep}`
  const there = `${path.resolve(file)}${path.sep}`
  return there.startsWith(folder) || folder.startsWith(there)
}

/** An error as one line for people. */
export function plainText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof AggregateError && error.message === '')
    return error.errors.map(plainText).join('; ')
  const { code = '', path: file } = error as Errno
  const reason = REASONS[code]
  return reason === undefined || file === undefined ? error.message : `${file}: ${reason}`
}
