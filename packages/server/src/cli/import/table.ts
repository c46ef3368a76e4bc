import { parse } from 'csv-parse'
import { type OnRead, openFile, readLines } from './lines.ts'
import { type Rejection, rejected } from './record.ts'

/** A row as named texts; `line` is where it begins. */
export interface Row {
  readonly kind: 'row'
  readonly line: number
  readonly fields: Readonly<Record<string, unknown>>
}

export interface TableOptions {
  /** From the file's column to ours. */
  readonly columns: ReadonlyMap<string, string>
  /** Of CSV; guessed from the header when absent. */
  readonly delimiter?: string
  readonly onRead?: OnRead
}

/** Rows of CSV with a header, or of NDJSON (by the file's name: .ndjson, .jsonl). */
export function readTable(path: string, options: TableOptions): AsyncGenerator<Row | Rejection> {
  return /\.(ndjson|jsonl)(\.gz)?$/.test(path) ? readNdjson(path, options) : readCsv(path, options)
}

/** The first line, to guess from. */
export async function firstLine(path: string): Promise<string> {
  for await (const line of readLines(path)) return line
  return ''
}

export function guessDelimiter(header: string): string {
  const count = (mark: string) => header.split(mark).length
  return [',', '|', '\t', ';'].reduce((best, mark) => (count(mark) > count(best) ? mark : best))
}

async function* readCsv(path: string, options: TableOptions): AsyncGenerator<Row | Rejection> {
  const parser = parse({
    bom: true,
    columns: (header: string[]) => header.map(name => renamed(name, options.columns)),
    delimiter: options.delimiter ?? guessDelimiter(await firstLine(path)),
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    info: true
  })
  const file = openFile(path, options.onRead)
  file.on('error', error => parser.destroy(error))
  for await (const row of file.pipe(parser)) {
    const { record, info } = row as { record: Record<string, string>; info: { lines: number } }
    yield { kind: 'row', line: info.lines - lineEndsIn(record), fields: given(record) }
  }
}

/** An empty cell says what an absent column says. */
function given(fields: Row['fields']): Row['fields'] {
  const kept = Object.entries(fields).filter(([, value]) => value !== '' && value !== null)
  return Object.fromEntries(kept)
}

/** The parser tells where a row ends. */
function lineEndsIn(record: Record<string, string>): number {
  return Object.values(record).reduce((sum, text) => sum + text.split('\n').length - 1, 0)
}

async function* readNdjson(path: string, options: TableOptions): AsyncGenerator<Row | Rejection> {
  let number = 0
  for await (const line of readLines(path, options.onRead)) {
    number++
    if (line.trim() === '') continue
    const object = parseObject(line)
    if (object === undefined) {
      yield rejected(number, 'not a JSON object')
      continue
    }
    const fields = Object.fromEntries(
      Object.entries(object).map(([name, value]) => [renamed(name, options.columns), value])
    )
    yield { kind: 'row', line: number, fields: given(fields) }
  }
}

function parseObject(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

/** Our name for a column: as mapped, else with the usual spellings taken for one. */
function renamed(name: string, columns: ReadonlyMap<string, string>): string {
  const mapped = columns.get(name)
  if (mapped !== undefined) return mapped
  const plain = name
    .trim()
    .toLowerCase()
    .replace(/[^a-z]/g, '')
  return USUAL.get(plain) ?? name
}

const USUAL: ReadonlyMap<string, string> = new Map([
  ['author', 'author'],
  ['authorid', 'author'],
  ['userid', 'user'],
  ['user', 'user'],
  ['text', 'content'],
  ['content', 'content'],
  ['body', 'content'],
  ['createdat', 'createdAt'],
  ['creationdate', 'createdAt'],
  ['date', 'createdAt'],
  ['timestamp', 'createdAt'],
  ['externalid', 'externalId'],
  ['follower', 'follower'],
  ['followee', 'followee'],
  ['source', 'follower'],
  ['target', 'followee'],
  ['post', 'post'],
  ['postid', 'post']
])
