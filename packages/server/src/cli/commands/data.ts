import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import type { Command } from 'commander'
import { exportLines } from '../export.ts'
import { generateCommunity } from '../generate/community.ts'
import type { ImportKind, Parsed } from '../import/record.ts'
import { type ImportReport, runImport } from '../import/run.ts'
import { openSource } from '../import/source.ts'
import { allUsers, spreadOver } from '../import/spread.ts'
import { bar } from '../output.ts'
import type { Connection, Runtime } from '../runtime.ts'
import { session, wholeNumber, withServer } from './shared.ts'

interface ImportOptions {
  kind?: string
  undirected: boolean
  map?: string
  delimiter?: string
  spread: boolean
}

/** import, export, generate. */
export function addDataCommands(program: Command, runtime: Runtime): void {
  program
    .command('import <path>')
    .description(
      'load an edge list, CSV, NDJSON or an LDBC folder; what is there already stays as it is'
    )
    .option('--kind <kind>', 'follows, posts, likes or users; told by the file when absent')
    .option('--undirected', 'each line of an edge list is two follows', false)
    .option('--map <columns>', 'columns of the file, for example author=writer,content=message')
    .option('--delimiter <mark>', 'between the columns of CSV; guessed when absent')
    .option('--spread', 'spread the authors of the file over the people who are there', false)
    .action(async (path: string, options: ImportOptions, command: Command) => {
      const { flags, output } = session(command)
      const report = await withServer(runtime, flags, async server => {
        const records = await openRecords(path, options, server)
        const done = await runImport(server.admin, records, now => output.progress(describe(now)))
        await server.admin.settle(60_000)
        return done
      })
      output.done()
      output.result(report, [
        describe(report),
        ...report.rejections.map(({ line, reason }) => `line ${line}: ${reason}`)
      ])
    })
  program
    .command('export <file>')
    .description('write users, follows and posts as NDJSON')
    .action(async (path: string, _options: unknown, command: Command) => {
      const { flags, output } = session(command)
      const lines = await withServer(runtime, flags, server =>
        writeExport(path, server, text => output.progress(text))
      )
      output.done()
      output.result({ file: path, lines }, [`${lines} lines in ${path}`])
    })
  program
    .command('generate')
    .description('load a seeded community with a power law, celebrities, and posts over time')
    .option('--users <n>', 'people', '1000')
    .option('--posts <n>', 'posts', '20000')
    .option('--follows <n>', 'mean follows per user', '40')
    .option('--likes <n>', 'likes', '10000')
    .option('--days <n>', 'days the posts are spread over', '30')
    .option('--seed <n>', 'the same seed gives the same community', '1')
    .option('--until <time>', 'when the story ends (ISO 8601); now when absent')
    .action(async (options: Record<string, string>, command: Command) => {
      const { flags, output } = session(command)
      const community = toCommunity(options)
      const created = await withServer(runtime, flags, server =>
        loadCommunity(server.admin, community, part => output.progress(bar(part)))
      )
      output.done()
      output.result({ created }, [`created ${JSON.stringify(created)}`])
    })
}

function toCommunity(options: Record<string, string>) {
  const number = (name: string, min: number) => wholeNumber(`--${name}`, options[name] ?? '', min)
  const now = options.until === undefined ? Date.now() : Date.parse(options.until)
  if (Number.isNaN(now)) throw new Error(`--until: "${options.until}" is not a time`)
  return {
    users: number('users', 1),
    posts: number('posts', 0),
    follows: number('follows', 0),
    likes: number('likes', 0),
    days: number('days', 1),
    seed: number('seed', 0),
    now
  }
}

/** Loads a generated community; `onProgress` gets the part that is done. */
export async function loadCommunity(
  admin: Connection['admin'],
  community: ReturnType<typeof toCommunity>,
  onProgress: (part: number) => void
) {
  const created = { users: 0, follows: 0, posts: 0, likes: 0 }
  const total = community.users * (1 + community.follows) + community.posts + community.likes
  let sent = 0
  for (const batch of generateCommunity(community)) {
    const result = await admin.batch(batch)
    for (const kind of ['users', 'follows', 'posts', 'likes'] as const) {
      created[kind] += result.created[kind]
      sent += batch[kind]?.length ?? 0
    }
    onProgress(Math.min(1, sent / total))
  }
  return created
}

async function openRecords(
  path: string,
  options: ImportOptions,
  server: Connection
): Promise<AsyncIterable<Parsed>> {
  const source = await openSource(path, {
    ...(options.kind !== undefined && { kind: toKind(options.kind) }),
    ...(options.delimiter !== undefined && { delimiter: options.delimiter }),
    undirected: options.undirected,
    columns: toColumns(options.map)
  })
  return options.spread ? mapped(source, spreadOver(await allUsers(server.admin))) : source
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

function describe({ records, created, rejected }: ImportReport): string {
  const { users, follows, posts, likes } = created
  return `${records} records: ${users} users, ${follows} follows, ${posts} posts, ${likes} likes created; ${rejected} lines rejected`
}

async function writeExport(
  path: string,
  server: Connection,
  onProgress: (text: string) => void
): Promise<number> {
  const file = createWriteStream(path)
  let lines = 0
  for await (const line of exportLines(server)) {
    if (!file.write(`${JSON.stringify(line)}\n`))
      await new Promise<void>(resolve => file.once('drain', () => resolve()))
    lines++
    onProgress(`${lines} lines`)
  }
  file.end()
  await finished(file)
  return lines
}
