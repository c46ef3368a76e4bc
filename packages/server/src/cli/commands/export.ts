import { createWriteStream } from 'node:fs'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import { exportLines } from '../export.ts'
import type { Connection, Runtime } from '../runtime.ts'
import { session, withServer } from './shared.ts'

const STDOUT = '-'

export function addExportCommand(program: Command, runtime: Runtime): void {
  program
    .command('export <file>')
    .description('write users, follows and posts as NDJSON; `-` is stdout')
    .action(async (path: string, _options: unknown, command: Command) => {
      const { flags, output } = session(command)
      const lines = await withServer(runtime, flags, server => {
        const file = path === STDOUT ? process.stdout : createWriteStream(path)
        return writeExport(file, server, count => output.progress(`${count} lines`))
      })
      output.done()
      if (path !== STDOUT) output.result({ file: path, lines }, [`${lines} lines in ${path}`])
    })
}

/** Writes all lines and ends the file, but not stdout; returns how many. @throws whatever the file fails with */
export async function writeExport(
  file: Writable,
  server: Connection,
  onProgress: (lines: number) => void
): Promise<number> {
  let lines = 0
  async function* texts() {
    for await (const line of exportLines(server)) {
      yield `${JSON.stringify(line)}\n`
      onProgress(++lines)
    }
  }
  await pipeline(Readable.from(texts()), file, { end: file !== process.stdout })
  return lines
}
