import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { BundledPostgresError } from './bundled-postgres-error.ts'

/** Whom PostgreSQL runs as. Without `uid` and `gid` it is the user of this process. */
export interface SystemUser {
  name: string
  uid?: number
  gid?: number
}

export interface Account {
  name: string
  uid: number
  gid: number
}

const preferred = ['postgres', '_postgres', 'nobody', 'fanwise']

/** The first account, in order of preference, that may run PostgreSQL: root may not. */
export function chooseUser(accounts: readonly Account[]): Account | undefined {
  const known = preferred.map(name => accounts.find(account => account.name === name))
  return known.find(account => account !== undefined && account.uid !== 0 && account.gid !== 0)
}

export function parseAccounts(passwd: string): Account[] {
  return passwd.split('\n').flatMap(line => {
    const [name, , uid, gid] = line.split(':')
    if (name === undefined || !uid || !gid) return []
    return [{ name, uid: Number(uid), gid: Number(gid) }]
  })
}

export function readAccounts(): Account[] {
  return parseAccounts(readFileSync('/etc/passwd', 'utf8'))
}

/** The spellings of shadow-utils, BusyBox and Debian's adduser. */
const creators: readonly (readonly string[])[] = [
  [
    'useradd',
    '--system',
    '--user-group',
    '--no-create-home',
    '--shell',
    '/sbin/nologin',
    'fanwise'
  ],
  ['adduser', '-S', '-D', '-H', '-s', '/sbin/nologin', 'fanwise'],
  ['adduser', '--system', '--group', '--no-create-home', 'fanwise']
]

/** Makes the user fanwise. @throws BundledPostgresError with what the commands said when none worked */
function createUser(): Account {
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' }
  const said: string[] = []
  for (const [command, ...args] of creators) {
    const made = spawnSync(command as string, args, { env, encoding: 'utf8' })
    const user = made.status === 0 ? chooseUser(readAccounts()) : undefined
    if (user !== undefined) return user
    said.push(`${command}: ${reasonOf(made)}`)
  }
  throw noSystemUser(said)
}

/** What a command that failed has said. */
export function reasonOf(ended: {
  readonly error?: Error
  readonly status: number | null
  readonly stdout: string | null
  readonly stderr: string | null
}): string {
  const words = `${ended.stderr ?? ''}${ended.stdout ?? ''}`.trim().split('\n')[0]
  if ((ended.error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') return 'not installed'
  return words || ended.error?.message || `ended with code ${ended.status}`
}

export function noSystemUser(said: readonly string[]): BundledPostgresError {
  return new BundledPostgresError(
    'no_system_user',
    'PostgreSQL refuses to run as root, and the system user fanwise could not be made ' +
      `(${[...new Set(said)].join('; ')}). ` +
      'Run as an ordinary user, or add that user yourself: useradd --system fanwise'
  )
}

function ownUser(): SystemUser {
  try {
    return { name: userInfo().username }
  } catch {
    // A container may run as a uid that has no account.
    return { name: `${process.getuid?.()}` }
  }
}

/**
 * The user for PostgreSQL: the one of this process, or, as root, another one.
 * `owner` is the uid of an existing cluster, which only that user can go on with.
 */
export function systemUser(owner?: number, accounts = readAccounts): SystemUser {
  if (process.getuid?.() !== 0) return ownUser()
  const table = accounts()
  if (owner !== undefined && owner !== 0) {
    return table.find(({ uid }) => uid === owner) ?? { name: `${owner}`, uid: owner, gid: owner }
  }
  return chooseUser(table) ?? createUser()
}
