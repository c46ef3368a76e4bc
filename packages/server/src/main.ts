import { readFileSync } from 'node:fs'
import { CommanderError } from 'commander'
import { plainText } from './advise.ts'
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

// A terminal that was closed, or a pipe whose reader has gone, ends no server; commands end with their work.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

try {
  await createProgram(runtime, flags, version).parseAsync()
} catch (error) {
  process.exitCode = exitCode(error)
}
// A command is over when its work is; a connection that lingers must not hold it.
process.exit()

function exitCode(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode
  process.stderr.write(`fanwise: ${plainText(error)}\n`)
  return 1
}
