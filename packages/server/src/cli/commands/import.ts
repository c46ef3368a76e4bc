import type { Command } from 'commander'
import { peopleOfSource } from '../import/people-of-source.ts'
import type { ImportKind, Parsed } from '../import/record.ts'
import { type ImportReport, runImport } from '../import/run.ts'
import { openSource, sizeOf } from '../import/source.ts'
import { spreadOver } from '../import/spread.ts'
import { bar } from '../output.ts'
import type { Connection, Runtime } from '../runtime.ts'
import { interruptible } from './interruptible.ts'
import { session, withServer } from './shared.ts'

interface ImportOptions {
  kind?: string
  undirected: boolean
  map?: string
  delimiter?: string
  spread: boolean
}

const SETTLE_MS = 60_000
const INTERRUPTED = 130

export function addImportCommand(program: Command, runtime: Runtime): void {
  program
    .command('import <path>')
    .description(
      'load an edge list, CSV, NDJSON or an LDBC folder; what is there already stays as it is'
    )
    .option('--kind <kind>', 'follows, posts, likes or users; told by the file when absent')
    .option('--undirected', 'each line of an edge list is two follows', false)
    .option('--map <columns>', 'columns of the file, for example author=writer,content=message')
    .option('--delimiter <mark>', 'between the columns of CSV; guessed when absent')
    .option(
      '--spread',
      'spread the authors of the file over the people who are there at its first import, whom the data folder remembers',
      false
    )
    .action(async (path: string, options: ImportOptions, command: Command) => {
      const { flags, output } = session(command)
      const total = await sizeOf(path)
      let read = 0
      const onRead = (bytes: number) => (read += bytes)
      const onProgress = (now: ImportReport) =>
        output.progress(`${bar(total === 0 ? 1 : read / total)} ${describe(now)}`)
      const report = await interruptible(signal =>
        withServer(runtime, flags, async server => {
          const records = await openRecords(path, options, server, onRead)
          const done = await runImport(server.admin, records, { onProgress, signal })
          if (!done.interrupted) await server.admin.settle(SETTLE_MS)
          return done
        })
      )
      output.done()
      output.result(report, [describe(report), ...report.rejections.map(describeRejection)])
      process.exitCode = exitCode(report)
    })
}

/** A file of which no line could be taken is the wrong file, or was read as the wrong kind. */
function exitCode({ interrupted, records, rejected }: ImportReport): number {
  if (interrupted) return INTERRUPTED
  return records === 0 && rejected > 0 ? 1 : 0
}

async function openRecords(
  path: string,
  options: ImportOptions,
  server: Connection,
  onRead: (bytes: number) => void
): Promise<AsyncIterable<Parsed>> {
  const source = await openSource(path, {
    ...(options.kind !== undefined && { kind: toKind(options.kind) }),
    ...(options.delimiter !== undefined && { delimiter: options.delimiter }),
    undirected: options.undirected,
    columns: toColumns(options.map),
    onRead
  })
  if (!options.spread) return source
  return mapped(source, spreadOver(await peopleOfSource(server.admin, path, server.folder)))
}

async function* mapped(records: AsyncIterable<Parsed>, change: (record: Parsed) => Parsed) {
  for await (const record of records) yield change(record)
}

function toKind(text: string): ImportKind {
  const kinds: readonly string[] = ['follows', 'posts', 'likes', 'users'] satisfies ImportKind[]
  if (!kinds.includes(text)) throw new Error(`--kind: "${text}" is not one of ${kinds.join(', ')}`)
  return text as ImportKind
}

function toColumns(text = ''): ReadonlyMap<string, string> {
  const pairs = text.split(',').filter(part => part !== '')
  return new Map(
    pairs.map(pair => {
      const [ours = '', theirs = ''] = pair.split('=')
      if (ours === '' || theirs === '') throw new Error(`--map: "${pair}" is not name=column`)
      return [theirs, ours]
    })
  )
}

function describe({ records, created, rejected, interrupted }: ImportReport): string {
  const { users, follows, posts, likes } = created
  const counts = `${records} records: ${users} users, ${follows} follows, ${posts} posts, ${likes} likes created; ${rejected} lines rejected`
  return interrupted ? `${counts}. Interrupted; the same import again goes on.` : counts
}

function describeRejection({ file, line, reason }: ImportReport['rejections'][number]): string {
  return `${file === undefined ? '' : `${file} `}line ${line}: ${reason}`
}
