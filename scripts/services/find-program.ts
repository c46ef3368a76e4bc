import { existsSync } from 'node:fs'
import path from 'node:path'

/** The path of a program in PATH, or in the folders of Debian's packages. */
export function findProgram(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(path.delimiter)
  return [...folders, '/usr/bin', '/usr/local/bin']
    .filter(folder => folder !== '')
    .map(folder => path.join(folder, name))
    .find(file => existsSync(file))
}
