import { mkdir, stat } from 'node:fs/promises'
import path from 'node:path'

/**
 * Makes a folder with its missing parents, each tried once: Node's own recursive mkdir never ends where the system
 * denies that the parent exists, as below /proc. @throws NodeJS.ErrnoException with the path that could not be made
 */
export async function makeFolder(folder: string, mode?: number): Promise<void> {
  const wanted = path.resolve(folder)
  const missing: string[] = []
  for (let at = wanted; !(await isThere(at)); at = path.dirname(at)) missing.unshift(at)
  for (const each of missing) await makeOne(each, mode)
  if ((await stat(wanted)).isDirectory()) return
  throw Object.assign(new Error(`ENOTDIR: not a directory, mkdir '${wanted}'`), {
    code: 'ENOTDIR',
    path: wanted
  })
}

async function isThere(file: string): Promise<boolean> {
  try {
    await stat(file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' && path.dirname(file) !== file)
      return false
    throw error
  }
}

async function makeOne(folder: string, mode: number | undefined): Promise<void> {
  try {
    await mkdir(folder, { ...(mode !== undefined && { mode }) })
  } catch (error) {
    // Another process that starts at the same time made it.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
