import { readFileSync } from 'node:fs'
import { CommanderError } from 'commander'
import { createProgram } from './cli/program.ts'
import { SETTINGS } from './config.ts'
import { runtime } from './runtime.ts'

const { version } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8')
) as { version: string }

const flags = Object.entries(SETTINGS).map(([key, { name, about }]) => ({
  key,
  about,
  variable: name
}))

try {
  await createProgram(runtime, flags, version).parseAsync()
} catch (error) {
  process.exitCode = exitCode(error)
}
// A command is over when its work is; a connection that lingers must not hold it.
process.exit()

function exitCode(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode
  const message = error instanceof Error ? error.message : String(error)
  process.stderr.write(`fanwise: ${message}\n`)
  return 1
}
