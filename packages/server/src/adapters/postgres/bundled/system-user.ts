import { execFileSync } from 'node:child_process'
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

function createUser(): Account | undefined {
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' }
  for (const [command, ...args] of creators) {
    try {
      execFileSync(command as string, args, { env, stdio: 'ignore' })
      return chooseUser(readAccounts())
    } catch {
      // The next spelling is tried; the caller reports when none worked.
    }
  }
  return undefined
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
  const user = chooseUser(table) ?? createUser()
  if (user !== undefined) return user
  throw new BundledPostgresError(
    'no_system_user',
    'PostgreSQL refuses to run as root, and the user fanwise could not be made. ' +
      'Run the server as an ordinary user, or add one: useradd --system fanwise'
  )
}
