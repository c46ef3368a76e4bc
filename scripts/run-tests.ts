import os from 'node:os'
import path from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { fileLimitMs } from './time-limits.ts'

export interface Outcome {
  ok: boolean
  /** A line for each test that was skipped or is a todo, with its reason. */
  skipped: string[]
}

interface Options {
  files: string[]
  namePatterns: string[]
  signal: AbortSignal
}

/** Runs test files, a process each, and prints as `node --test` does. Resolves when all have ended. */
export async function runTests({ files, namePatterns, signal }: Options): Promise<Outcome> {
  const outcome: Outcome = { ok: false, skipped: [] }
  const stream = run({
    files,
    signal,
    testNamePatterns: namePatterns,
    concurrency: Math.max(2, os.availableParallelism() - 1),
    timeout: fileLimitMs,
    execArgv: ['--import', import.meta.resolve('./test-guard.ts')]
  })
  stream.on('test:pass', ({ name, file, skip, todo }) => {
    const reason = skip ?? todo
    if (reason === undefined || reason === false) return
    const where = file === undefined ? '' : ` (${path.relative('', file)})`
    outcome.skipped.push(`${name}${where}${reason === true ? '' : `: ${reason}`}`)
  })
  stream.on('test:summary', ({ file, success }) => {
    if (file === undefined) outcome.ok = success
  })
  for await (const text of stream.compose(spec)) process.stdout.write(String(text))
  return outcome
}
