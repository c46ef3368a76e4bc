import { Command, Option } from 'commander'
import { addDataCommands } from './commands/data.ts'
import { addDeadCommands } from './commands/dead.ts'
import { addExplainCommand } from './commands/explain.ts'
import { addFeedCommands } from './commands/feeds.ts'
import { addServerCommands } from './commands/server.ts'
import type { Flags, Runtime } from './runtime.ts'

/** A setting as the command line shows it. */
export interface FlagSpec {
  readonly key: string
  readonly about: string
  readonly variable: string
}

/** The `fanwise` command. Every setting is a flag too: `FANWISE_CAP` is `--cap`. */
export function createProgram(
  runtime: Runtime,
  settings: readonly FlagSpec[],
  version: string
): Command {
  const program = new Command('fanwise')
    .description('The activity-feed server.')
    .version(version)
    .option('--json', 'print results as JSON', false)
    .showHelpAfterError('(fanwise --help lists the commands)')
    .exitOverride()
  for (const { key, about, variable } of settings)
    program.addOption(new Option(`${toFlag(key)} <value>`, `${about} (${variable})`).hideHelp())
  program.addHelpText(
    'after',
    '\nEvery setting of docs/config.md is a flag as well: FANWISE_CAP is --cap.'
  )
  addServerCommands(program, runtime)
  addDataCommands(program, runtime)
  addFeedCommands(program, runtime)
  addExplainCommand(program, runtime)
  addDeadCommands(program, runtime)
  return program
}

/** Flags of settings that were given, by their key. */
export function givenFlags(program: Command): Flags {
  const options = program.optsWithGlobals<Record<string, unknown>>()
  return Object.fromEntries(
    Object.entries(options).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string'
    )
  )
}

export function toFlag(key: string): string {
  return `--${key.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`
}
