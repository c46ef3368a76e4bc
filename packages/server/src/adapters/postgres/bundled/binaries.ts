import { randomUUID } from 'node:crypto'
import { chmod, cp, readdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { makeLinks } from './links.ts'
import type { PostgresPackage } from './locate.ts'
import { runAs } from './run-as.ts'
import type { SystemUser } from './system-user.ts'

export interface Binaries {
  binDir: string
  libDir: string
  /** The major version, as `PG_VERSION` of a cluster has it. */
  version: string
  copied: boolean
}

const readOnly: readonly unknown[] = ['EACCES', 'EPERM', 'EROFS']

async function linksInPlace(packageDir: string): Promise<boolean> {
  try {
    await makeLinks(packageDir)
    return true
  } catch (error) {
    if (readOnly.includes((error as NodeJS.ErrnoException).code)) return false
    throw error
  }
}

/** Tried as the user itself: it must run the binary, load its libraries and read the shared files. */
async function usable(native: string, user: SystemUser): Promise<boolean> {
  if (user.uid === undefined) return true
  const shared = path.join(native, 'share/postgresql/postgres.bki')
  const script = 'test -r "$2" && exec "$1" --version'
  const command = [
    '/bin/sh',
    '-c',
    script,
    'sh',
    path.join(native, 'bin/postgres'),
    shared
  ] as const
  return (await runAs(user, command, path.join(native, 'lib'))).code === 0
}

/** A copy made under a strict umask, or of a private tree, would be out of reach again. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name)
    if (entry.isDirectory()) await openToAll(file)
    else if (entry.isFile()) await chmod(file, ((await stat(file)).mode & 0o755) | 0o444)
  }
}

async function copyPackage(from: string, to: string): Promise<void> {
  if (await stat(to).catch(() => undefined)) return
  const temporary = `${to}.${randomUUID()}`
  await cp(path.join(from, 'native'), path.join(temporary, 'native'), {
    recursive: true,
    verbatimSymlinks: true,
    filter: file => !file.endsWith('.a')
  })
  await openToAll(temporary)
  await makeLinks(temporary)
  try {
    await rename(temporary, to)
  } catch (error) {
    await rm(temporary, { recursive: true, force: true })
    // Another server that starts at the same time made the same copy.
    if (!(await stat(to).catch(() => undefined))) throw error
  }
}

/** Makes the binaries ready to run by `user`: where they are, or as a copy below `copyTo`. */
export async function prepareBinaries(
  { dir, version }: PostgresPackage,
  user: SystemUser,
  copyTo: string
): Promise<Binaries> {
  const copied = !((await linksInPlace(dir)) && (await usable(path.join(dir, 'native'), user)))
  const home = copied ? path.join(copyTo, `postgres-${version}`) : dir
  if (copied) await copyPackage(dir, home)
  return {
    binDir: path.join(home, 'native/bin'),
    libDir: path.join(home, 'native/lib'),
    version: version.split('.')[0] as string,
    copied
  }
}
