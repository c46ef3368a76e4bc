import { createHash } from 'node:crypto'
import type { RedisFailure } from './failure.ts'
import type { Reply } from './link.ts'

/** A script of one key. Ids are text to it: Lua's numbers are doubles and would confuse them. */
export interface Script {
  readonly text: string
  readonly sha: string
}

export function defineScript(text: string): Script {
  return { text, sha: createHash('sha1').update(text).digest('hex') }
}

/** What is asked of the node that has `key`. Each may be repeated. */
export type Command = {
  readonly key: string
  /** It has to be answered within FLIGHT_MS after it was made, or else the key is dropped. */
  readonly timely?: true
} & (
  | {
      /** Made when it is written; `serverNow` is the server's clock in Unix ms. */
      readonly args: (serverNow: number) => readonly string[]
    }
  | { readonly script: Script; readonly argv: readonly string[] }
  | {
      /** Done as one. `whole` does the same as a script, for a slot on its way to another node. */
      readonly atomic: readonly (readonly string[])[]
      readonly whole: { readonly script: Script; readonly argv: readonly string[] }
    }
)

export type Outcome = { readonly reply: Reply } | { readonly failure: RedisFailure }

export interface RunOptions {
  /** Waits for a server that is being emptied, is loading or was just lost. For writes; readers have the Store. */
  readonly patient: boolean
}

/** The reply of a timely command that was answered too late: its key was dropped. */
export const DROPPED = -1

/** Sends commands to the nodes that have their keys: one pipeline per node, an outcome per command. */
export interface Commands {
  run(op: string, commands: readonly Command[], options: RunOptions): Promise<readonly Outcome[]>
  /** The reply of one. @throws RedisFailure */
  ask(op: string, command: Command, options: RunOptions): Promise<Reply>
}
