// What npm test runs, as data, and which of it is chosen.
import { globSync } from 'node:fs'
import path from 'node:path'

interface Suite {
  name: string
  files: string
  /** Set where a suite is left out of a plain `npm test`. */
  onlyInCi?: string
}

export const suites: readonly Suite[] = [
  { name: 'scripts', files: 'scripts/**/*.test.ts' },
  { name: 'packages', files: 'packages/**/*.test.ts' },
  { name: 'testkit', files: 'testkit/**/*.test.ts' },
  { name: 'scenarios', files: 'scenarios/**/*.test.ts' },
  { name: 'sim', files: 'sim/**/*.test.ts' },
  { name: 'bench', files: 'bench/**/*.test.ts' },
  { name: 'examples', files: 'examples/**/*.test.ts' },
  { name: 'e2e', files: 'e2e/**/*.test.ts', onlyInCi: 'it takes minutes' }
]

export interface Choice {
  /** Absolute paths. */
  files: string[]
  /** A line for each suite that has files and is left out: what, why, and how to run it. */
  skipped: string[]
}

/**
 * The test files of a run. A filter is a part of a path from the root, such as
 * `packages/server/src/domain`; who names files gets them, from whatever suite they are.
 */
export function choose(root: string, filters: readonly string[], ci: boolean): Choice {
  const choice: Choice = { files: [], skipped: [] }
  for (const suite of suites) {
    const found = globSync(suite.files, { cwd: root, exclude: ['**/node_modules', '**/dist'] })
    const wanted = found.map(slashes).filter(file => matches(file, filters))
    if (suite.onlyInCi !== undefined && !ci && filters.length === 0) {
      if (wanted.length > 0) choice.skipped.push(skipLine(suite.name, suite.onlyInCi))
    } else choice.files.push(...wanted.sort().map(file => path.join(root, file)))
  }
  return choice
}

function skipLine(name: string, why: string): string {
  return `${name}: ${why}; run CI=true npm test, or npm test -- ${name}`
}

function slashes(file: string): string {
  return file.replaceAll(path.sep, '/')
}

function matches(file: string, filters: readonly string[]): boolean {
  return filters.length === 0 || filters.some(filter => file.includes(slashes(filter)))
}
