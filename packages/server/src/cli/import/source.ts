import { stat } from 'node:fs/promises'
import { readEdges } from './edges.ts'
import { isLdbc, readLdbc } from './ldbc.ts'
import type { ImportKind, Parsed } from './record.ts'
import { mixedReader, rowReader } from './rows.ts'
import { firstLine, type Row, readTable } from './table.ts'

export interface SourceOptions {
  readonly kind?: ImportKind
  readonly undirected: boolean
  /** From the file's column to ours. */
  readonly columns: ReadonlyMap<string, string>
  readonly delimiter?: string
}

/** The records of a file or folder; its kind is told by its name and first line unless given. */
export async function openSource(
  path: string,
  options: SourceOptions
): Promise<AsyncGenerator<Parsed>> {
  const info = await stat(path)
  if (info.isDirectory()) {
    if (await isLdbc(path)) return readLdbc(path)
    throw new Error(`${path} is a folder, but not one of LDBC (persons.csv, knows.csv, posts.csv).`)
  }
  const isTable = /\.(csv|tsv|ndjson|jsonl)(\.gz)?$/.test(path)
  if (!isTable && (options.kind === undefined || options.kind === 'follows'))
    return readEdges(path, options.undirected)
  if (options.kind === undefined && /"kind":/.test(await firstLine(path)))
    return readRows(path, mixedReader(), options)
  const kind = options.kind ?? (await guessKind(path, options.columns))
  return readRows(path, rowReader(kind), options)
}

async function* readRows(
  path: string,
  toRecord: (row: Row) => Parsed,
  options: SourceOptions
): AsyncGenerator<Parsed> {
  for await (const row of readTable(path, options)) yield row.kind === 'row' ? toRecord(row) : row
}

async function guessKind(path: string, columns: ReadonlyMap<string, string>): Promise<ImportKind> {
  const line = `${await firstLine(path)} ${[...columns.values()].join(' ')}`.toLowerCase()
  if (/text|content|body/.test(line)) return 'posts'
  if (/follow|source.*target/.test(line)) return 'follows'
  if (/post/.test(line)) return 'likes'
  if (/\bid\b|user/.test(line)) return 'users'
  throw new Error(
    `What ${path} holds can't be told by its first line; say --kind follows, posts, likes or users.`
  )
}
