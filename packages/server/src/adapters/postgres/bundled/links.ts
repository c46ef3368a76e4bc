import { chmod, lstat, readdir, readFile, stat, symlink } from 'node:fs/promises'
import path from 'node:path'

interface Link {
  source: string
  target: string
}

/** The library links that the package lists, which npm cannot hold. Windows has none. */
async function listedLinks(packageDir: string): Promise<Link[]> {
  const text = await readFile(path.join(packageDir, 'native/pg-symlinks.json'), 'utf8').catch(
    () => '[]'
  )
  return JSON.parse(text) as Link[]
}

async function makeLink(packageDir: string, { source, target }: Link): Promise<void> {
  const to = path.join(packageDir, target)
  if (await lstat(to).catch(() => undefined)) return
  try {
    await symlink(path.relative(path.dirname(to), path.join(packageDir, source)), to)
  } catch (error) {
    // Another server that starts at the same time made it.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

async function makeExecutable(file: string): Promise<void> {
  const { mode } = await stat(file)
  if ((mode & 0o111) !== 0o111) await chmod(file, (mode & 0o777) | 0o555)
}

/** Makes what an install script would: library links and executable bits. */
export async function makeLinks(packageDir: string): Promise<void> {
  for (const link of await listedLinks(packageDir)) await makeLink(packageDir, link)
  const bin = path.join(packageDir, 'native/bin')
  for (const name of await readdir(bin)) await makeExecutable(path.join(bin, name))
}
