export type BundledPostgresCode =
  | 'unsupported_platform'
  | 'cannot_run'
  | 'no_system_user'
  | 'data_unreachable'
  | 'folder_in_use'
  | 'password_missing'
  | 'version_mismatch'
  | 'not_answering'
  | 'start_failed'

/** The codes for which another PostgreSQL is the way out, so that the message names it. */
const needsAnotherServer: readonly BundledPostgresCode[] = [
  'unsupported_platform',
  'cannot_run',
  'no_system_user'
]

const wayOut =
  'To use your own PostgreSQL 15 or later instead, set DATABASE_URL, ' +
  'for example DATABASE_URL=postgres://user:password@host:5432/fanwise'

/** Why the bundled PostgreSQL did not start; `message` is for people and says what to do. */
export class BundledPostgresError extends Error {
  override readonly name = 'BundledPostgresError'
  readonly code: BundledPostgresCode

  constructor(code: BundledPostgresCode, message: string, options?: ErrorOptions) {
    super(needsAnotherServer.includes(code) ? `${message}\n${wayOut}` : message, options)
    this.code = code
  }
}

/** The live server that holds a data folder. `port` is absent until that server listens. */
export interface FolderOwner {
  pid: number
  port?: number
}

/** A live server works on the data folder; nothing was changed. */
export class FolderInUseError extends BundledPostgresError {
  readonly owner: FolderOwner

  constructor(folder: string, owner: FolderOwner) {
    const port = owner.port === undefined ? 'no port yet' : `port ${owner.port}`
    super(
      'folder_in_use',
      `The data folder ${folder} is in use by the Fanwise server with pid ${owner.pid} (${port}). ` +
        'Stop that server first, or choose another data folder.'
    )
    this.owner = owner
  }
}
