import type { Command, Script } from './commands.ts'
import { failureOf } from './failure.ts'
import type { Link, Reply } from './link.ts'

type Atomic = Extract<Command, { atomic: unknown }>

/** Writes a command before it returns, so that the order of calls is that of the wire. */
export function writeCommand(
  link: Link,
  command: Command,
  serverNow: number,
  asking: boolean
): Promise<Reply> {
  if ('args' in command) return sendOne(link, command.args(serverNow), asking)
  if ('script' in command) return runScript(link, command.key, command, asking)
  return runAtomic(link, command, asking)
}

/** A full server refuses to queue even reads, and one that imports a slot asks before each; scripts may run. */
async function runAtomic(link: Link, command: Atomic, asking: boolean): Promise<Reply> {
  try {
    if (!asking) return await transact(link, command.atomic)
  } catch (error) {
    if (failureOf(error).kind !== 'oom') throw error
  }
  return runScript(link, command.key, command.whole, asking)
}

function sendOne(link: Link, args: readonly string[], asking: boolean): Promise<Reply> {
  if (asking) link.send(['ASKING']).catch(() => {})
  return link.send(args)
}

/** By its digest; the server may forget scripts at any time, then by its text. */
async function runScript(
  link: Link,
  key: string,
  { script, argv }: { script: Script; argv: readonly string[] },
  asking: boolean
): Promise<Reply> {
  try {
    return await sendOne(link, ['EVALSHA', script.sha, '1', key, ...argv], asking)
  } catch (error) {
    if (failureOf(error).kind !== 'noscript') throw error
    return sendOne(link, ['EVAL', script.text, '1', key, ...argv], asking)
  }
}

/** The first refusal tells more than that of EXEC, and one within its reply is one of all. */
async function transact(link: Link, parts: readonly (readonly string[])[]): Promise<Reply> {
  const sent = [['MULTI'], ...parts, ['EXEC']].map(args => link.send(args))
  const results = await Promise.allSettled(sent)
  const failed = results.find(result => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  const last = results.at(-1)
  const replies = last?.status === 'fulfilled' ? last.value : null
  const refused = Array.isArray(replies) && replies.find(reply => reply instanceof Error)
  if (refused) throw refused
  return replies
}
