/** What a network says of a database that cannot be spoken with. */
const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'it ended the connection',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the name of the host could not be looked up',
  EHOSTUNREACH: 'there is no way to that host',
  ENETUNREACH: 'there is no way to that host',
  ETIMEDOUT: 'it does not answer'
}

/** What PostgreSQL says to a connection that it refuses. */
const REFUSED: Readonly<Record<string, (url: URL) => string>> = {
  '28P01': ({ username }) => `it refuses the user "${username}" with this password`,
  '28000': ({ username }) => `it refuses the user "${username}"`,
  '3D000': ({ pathname }) => `it has no database "${pathname.slice(1)}"; create it`,
  '53300': () => 'it has no connection left; raise max_connections, or lower FANWISE_POOL_MAX',
  '57P03': () => 'it is starting up or shutting down'
}

const NO_TLS = 'does not support SSL'

interface Failure {
  readonly code?: string
  readonly message?: string
  readonly port?: number
  readonly hostname?: string
  /** One for each address that was tried. */
  readonly errors?: readonly Failure[]
}

/**
 * An error that names the database of DATABASE_URL, without its password, and the ways out; undefined when `error` is
 * not about connecting to it.
 */
export function databaseFailure(databaseUrl: string, error: unknown): Error | undefined {
  const url = URL.parse(databaseUrl)
  const reason = url === null ? undefined : reasonOf(url, error as Failure)
  if (url === null || reason === undefined) return undefined
  return new Error(
    `DATABASE_URL: PostgreSQL at ${hostOf(url)} can't be used: ${reason}. ` +
      'Start or correct it, or leave DATABASE_URL empty for the bundled PostgreSQL.',
    { cause: error }
  )
}

/** Host and port, as a person would look for them. */
export function hostOf(url: URL): string {
  return `${url.hostname || 'localhost'}:${portOf(url)}`
}

function portOf({ port }: URL): number {
  return Number(port || 5432)
}

function reasonOf(url: URL, failure: Failure): string | undefined {
  const { code = '', message = '' } = failure
  if (NETWORK[code] !== undefined && isThere(url, failure)) return NETWORK[code]
  if (message === 'timeout expired') return NETWORK.ETIMEDOUT
  if (message.includes(NO_TLS)) return 'it does not support TLS, which sslmode asks for'
  return REFUSED[code]?.(url)
}

/** Other services fail with the same codes: the port or the host tells whose failure it is. */
function isThere(url: URL, { port, hostname, errors }: Failure): boolean {
  const [first] = errors ?? []
  if (first !== undefined) return isThere(url, first)
  if (hostname !== undefined) return hostname === url.hostname
  return port === undefined || port === portOf(url)
}
