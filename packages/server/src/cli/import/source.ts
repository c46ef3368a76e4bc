import { stat } from 'node:fs/promises'
import path from 'node:path'
import { checked } from './check.ts'
import { readEdges } from './edges.ts'
import { isLdbc, LDBC_FILES, readLdbc } from './ldbc.ts'
import type { OnRead } from './lines.ts'
import type { ImportKind, Parsed } from './record.ts'
import { mixedReader, rowReader } from './rows.ts'
import { firstLine, type Row, readTable } from './table.ts'

export interface SourceOptions {
  readonly kind?: ImportKind
  readonly undirected: boolean
  /** From the file's column to ours. */
  readonly columns: ReadonlyMap<string, string>
  readonly delimiter?: string
  readonly onRead?: OnRead
}

/** Bytes of a file, or of the files that are read of a folder. */
export async function sizeOf(source: string): Promise<number> {
  const info = await stat(source)
  if (!info.isDirectory()) return info.size
  const sizes = LDBC_FILES.map(async name => (await stat(path.join(source, name))).size)
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

/** The records of a file or folder; its kind is told by its name and first line unless given. */
export async function openSource(
  source: string,
  options: SourceOptions
): Promise<AsyncGenerator<Parsed>> {
  return checkedAll(await openRaw(source, options))
}

async function* checkedAll(records: AsyncIterable<Parsed>): AsyncGenerator<Parsed> {
  for await (const record of records) yield checked(record)
}

async function openRaw(source: string, options: SourceOptions): Promise<AsyncGenerator<Parsed>> {
  const info = await stat(source)
  if (info.isDirectory()) {
    if (await isLdbc(source)) return readLdbc(source, options.onRead)
    throw new Error(
      `${source} is a folder, but not one of LDBC (persons.csv, knows.csv, posts.csv).`
    )
  }
  const isTable = /\.(csv|tsv|ndjson|jsonl)(\.gz)?$/.test(source)
  if (!isTable && (options.kind === undefined || options.kind === 'follows'))
    return readEdges(source, options.undirected, options.onRead)
  if (options.kind === undefined && /"kind":/.test(await firstLine(source)))
    return readRows(source, mixedReader(), options)
  const kind = options.kind ?? (await guessKind(source, options.columns))
  return readRows(source, rowReader(kind), options)
}

async function* readRows(
  source: string,
  toRecord: (row: Row) => Parsed,
  options: SourceOptions
): AsyncGenerator<Parsed> {
  for await (const row of readTable(source, options)) yield row.kind === 'row' ? toRecord(row) : row
}

async function guessKind(
  source: string,
  columns: ReadonlyMap<string, string>
): Promise<ImportKind> {
  const line = `${await firstLine(source)} ${[...columns.values()].join(' ')}`.toLowerCase()
  if (/text|content|body/.test(line)) return 'posts'
  if (/follow|source.*target/.test(line)) return 'follows'
  if (/post/.test(line)) return 'likes'
  if (/\bid\b|user/.test(line)) return 'users'
  throw new Error(
    `What ${source} holds can't be told by its first line; say --kind follows, posts, likes or users.`
  )
}
