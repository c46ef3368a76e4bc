import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { makeFolder } from '../../../lib/make-folder.ts'
import { BundledPostgresError } from './bundled-postgres-error.ts'
import { runAs } from './run-as.ts'
import type { SystemUser } from './system-user.ts'

/** Whether `user` can do `access` ('x' to enter or run, 'r' to read) on a path: tried as that user. */
export async function canReach(
  user: SystemUser,
  access: 'x' | 'r',
  file: string
): Promise<boolean> {
  if (user.uid === undefined) return true
  try {
    const { code } = await runAs(user, ['/bin/sh', '-c', `test -${access} "$1"`, 'sh', file])
    return code === 0
  } catch (cause) {
    throw new BundledPostgresError(
      'cannot_run',
      `PostgreSQL must run as the user ${user.name}, but this process may not start programs as it.`,
      { cause }
    )
  }
}

/** Makes a folder with its parents and returns its path without links, so that one folder has one name. */
export async function realFolder(folder: string): Promise<string> {
  await makeFolder(folder)
  return await realpath(path.resolve(folder))
}
