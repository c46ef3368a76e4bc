import { spawn } from 'node:child_process'
import { once } from 'node:events'

export interface CommandOptions {
  timeoutMs: number
  env?: Readonly<Record<string, string>>
  cwd?: string
}

/**
 * Runs a program to its end.
 * @returns what it printed on both streams
 * @throws {Error} with the end of its output if it can't be started, fails or takes too long
 */
export async function runCommand(
  [file, ...args]: readonly [string, ...string[]],
  { timeoutMs, env, cwd }: CommandOptions
): Promise<string> {
  const child = spawn(file, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    ...(cwd !== undefined && { cwd })
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', text => (output += text))
  }
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  if (code === 0) return output
  const how = signal === null ? `code ${code}` : `${signal} (limit ${timeoutMs / 1000} s)`
  throw new Error(`${[file, ...args].join(' ')} ended with ${how}:\n${lastLines(output)}`)
}

/** The end of a text, without empty lines. */
export function lastLines(text: string, count = 20): string {
  const lines = text.split('\n').filter(line => line.trim() !== '')
  return lines.slice(-count).join('\n')
}
