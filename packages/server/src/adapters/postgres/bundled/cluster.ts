import { randomBytes, randomUUID } from 'node:crypto'
import { open, readdir, readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Binaries } from './binaries.ts'
import { BundledPostgresError } from './bundled-postgres-error.ts'
import type { Place } from './place.ts'
import { runAs } from './run-as.ts'

/** The PostgreSQL superuser of every bundled cluster. */
export const superuser = 'fanwise'

/** The files of a place. `cluster` exists only if it is complete. */
export function filesOf({ folder }: Pick<Place, 'folder'>) {
  return {
    cluster: path.join(folder, 'cluster'),
    password: path.join(folder, 'password'),
    lock: path.join(folder, 'starting.lock'),
    startLog: path.join(folder, 'start.log'),
    logs: path.join(folder, 'log')
  }
}

async function sync(file: string): Promise<void> {
  if (process.platform === 'win32') return
  await using handle = await open(file, 'r')
  await handle.sync()
}

/** Writes the password before the cluster that needs it; one that a crashed start left is used on. */
async function makePassword({ user }: Place, file: string): Promise<void> {
  if (await readFile(file, 'utf8').catch(() => '')) return
  await rm(file, { force: true })
  await using handle = await open(file, 'wx', 0o600)
  await handle.writeFile(randomBytes(24).toString('hex'))
  await handle.sync()
  if (user.uid !== undefined && user.gid !== undefined) await handle.chown(user.uid, user.gid)
}

export async function readPassword(place: Place): Promise<string> {
  const file = filesOf(place).password
  const password = await readFile(file, 'utf8').catch(() => '')
  if (password) return password
  throw new BundledPostgresError(
    'password_missing',
    `The file ${file} with the password of the data in ${place.folder} is gone. Restore it from your backup.`
  )
}

/** An initdb that outlived its killed server may still write there: then the next start removes it. */
async function removeUnfinished(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names.filter(name => name.startsWith('cluster.'))) {
    const unfinished = path.join(folder, name)
    await rm(unfinished, { recursive: true, force: true }).catch(() => undefined)
  }
}

async function checkVersion({ folder }: Place, { version: bundled }: Binaries): Promise<void> {
  const text = await readFile(path.join(filesOf({ folder }).cluster, 'PG_VERSION'), 'utf8')
  const version = text.trim()
  if (version === bundled) return
  throw new BundledPostgresError(
    'version_mismatch',
    `The data in ${folder} is of PostgreSQL ${version}, the bundled one is ${bundled}. ` +
      'Export it with the Fanwise release that wrote it, and import it into an empty data folder.'
  )
}

async function initdb(
  target: string,
  { binDir, libDir }: Binaries,
  place: Place,
  durable: boolean
) {
  const { code, output } = await runAs(
    place.user,
    [
      path.join(binDir, 'initdb'),
      `--pgdata=${target}`,
      `--username=${superuser}`,
      '--encoding=UTF8',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--locale=C',
      '--auth=scram-sha-256',
      `--pwfile=${filesOf(place).password}`,
      ...(durable ? [] : ['--no-sync'])
    ],
    libDir
  ).catch(error => ({ code: null, output: String(error) }))
  if (code === 0) return
  await rm(target, { recursive: true, force: true }).catch(() => undefined)
  throw new BundledPostgresError('cannot_run', `The bundled PostgreSQL can't run here: ${output}`)
}

/** Makes the cluster if there is none. It is built beside its place and renamed, so that it is whole or absent. */
export async function makeCluster(
  place: Place,
  binaries: Binaries,
  durable: boolean
): Promise<void> {
  const { cluster, password } = filesOf(place)
  const names = await readdir(place.folder)
  await removeUnfinished(place.folder, names)
  if (names.includes('cluster')) {
    await checkVersion(place, binaries)
    return
  }
  await makePassword(place, password)
  const target = `${cluster}.${randomUUID()}`
  await initdb(target, binaries, place, durable)
  await rename(target, cluster)
  await sync(place.folder)
  await sync(path.dirname(place.folder))
}
