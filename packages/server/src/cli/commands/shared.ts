import type { Command } from 'commander'
import { createOutput, type Output } from '../output.ts'
import type { Connection, Flags, Runtime } from '../runtime.ts'

/** What every command gets: the flags, a way to write, and (when it asks) a server. */
export interface Session {
  readonly flags: Flags
  readonly output: Output
}

export function session(command: Command): Session {
  const options = command.optsWithGlobals<Record<string, unknown>>()
  const flags = Object.fromEntries(
    Object.entries(options).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string'
    )
  )
  return { flags, output: createOutput(options.json === true) }
}

/** Runs `work` against a server and lets go of it afterwards, whatever happens. */
export async function withServer<T>(
  runtime: Runtime,
  flags: Flags,
  work: (server: Connection) => Promise<T>
): Promise<T> {
  await using server = await runtime.connect(flags)
  return await work(server)
}

/** A whole number of at least `min`. @throws Error naming the option. */
export function wholeNumber(name: string, text: string, min: number): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number < min)
    throw new Error(`${name}: "${text}" is not a whole number of at least ${min}`)
  return number
}
