import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'

export const maxLines = 400

const sources = '**/*.{ts,tsx,mts,js,mjs,cjs,sql,css,html,sh}'
const outside = ['node_modules', 'dist', '.fanwise', '.cache', '.git']

/**
 * The source files of a tree that are over maxLines long, blank lines and comments counted.
 * @throws {Error} if the tree has no source file: a check that read nothing has checked nothing
 */
export function longFiles(root: string): { file: string; lines: number }[] {
  const exclude = outside.flatMap(folder => [folder, `**/${folder}`])
  const files = globSync(sources, { cwd: root, exclude })
  if (files.length === 0) throw new Error(`no source file was found in ${root}`)
  return files
    .map(file => ({ file, lines: countLines(readFileSync(path.join(root, file), 'utf8')) }))
    .filter(({ lines }) => lines > maxLines)
}

function countLines(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
}
