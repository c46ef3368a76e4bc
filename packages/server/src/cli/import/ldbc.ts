import { access } from 'node:fs/promises'
import path from 'node:path'
import { type OnRead, readLines } from './lines.ts'
import { followsBothWays, type Parsed, rejected } from './record.ts'
import type { Row } from './table.ts'
import { parseTime } from './time.ts'

/**
 * A folder of the LDBC social network: persons.csv, knows.csv (each line two follows), posts.csv with
 * post_creators.csv, likes.csv; `|` between columns, times in ms since 1970.
 */
export async function* readLdbc(folder: string, onRead?: OnRead): AsyncGenerator<Parsed> {
  const creators = new Map<string, string>()
  const readers: Record<(typeof LDBC_FILES)[number], (row: LdbcRow) => readonly Parsed[]> = {
    'persons.csv': toUser,
    'knows.csv': toFollows,
    'post_creators.csv': ({ values }) => {
      creators.set(values[0] ?? '', values[1] ?? '')
      return []
    },
    'posts.csv': row => [toPost(row, creators)],
    'likes.csv': row => [toLike(row, creators)]
  }
  for (const file of LDBC_FILES)
    for await (const row of rows(path.join(folder, file), onRead))
      for (const record of readers[file](row)) yield { ...record, file }
}

/** In the order of reading. */
export const LDBC_FILES = [
  'persons.csv',
  'knows.csv',
  'post_creators.csv',
  'posts.csv',
  'likes.csv'
] as const

export async function isLdbc(folder: string): Promise<boolean> {
  try {
    await Promise.all(
      ['persons.csv', 'knows.csv', 'posts.csv'].map(name => access(path.join(folder, name)))
    )
    return true
  } catch {
    return false
  }
}

interface LdbcRow {
  readonly line: number
  readonly fields: Row['fields']
  /** By position: two columns may bear the same name (`Person.id|Person.id`). */
  readonly values: readonly string[]
}

async function* rows(file: string, onRead?: OnRead): AsyncGenerator<LdbcRow> {
  let header: readonly string[] = []
  let line = 0
  for await (const raw of readLines(file, onRead)) {
    line++
    const values = raw.split('|')
    if (line === 1) header = values
    else if (raw !== '') {
      const fields = Object.fromEntries(header.map((name, index) => [name, values[index]]))
      yield { line, fields, values }
    }
  }
}

function toUser({ line, fields }: LdbcRow): Parsed[] {
  const attributes = { language: text(fields.language) }
  return [{ kind: 'user', line, value: { id: text(fields.id), attributes } }]
}

function toFollows({ line, values }: LdbcRow): Parsed[] {
  const [a = '', b = ''] = values
  return followsBothWays(line, a, b)
}

function toPost({ line, fields }: LdbcRow, creators: ReadonlyMap<string, string>): Parsed {
  const externalId = text(fields.id)
  const author = creators.get(externalId)
  const createdAt = parseTime(fields.creationDate)
  if (author === undefined) return rejected(line, `post ${externalId} has no creator`)
  if (createdAt === undefined) return rejected(line, `post ${externalId} has no time`)
  const imageFile = text(fields.imageFile)
  const content = text(fields.content) || imageFile
  if (content === '') return rejected(line, `post ${externalId} has neither text nor image`)
  const attrs = {
    ...(imageFile && { imageFile }),
    ...(fields.language ? { language: text(fields.language) } : {})
  }
  return { kind: 'post', line, value: { author, content, createdAt, externalId, attrs } }
}

function toLike({ values, line }: LdbcRow, creators: ReadonlyMap<string, string>): Parsed {
  const [user = '', externalId = ''] = values
  const author = creators.get(externalId)
  if (author === undefined) return rejected(line, `like of unknown post ${externalId}`)
  return { kind: 'like', line, value: { user, author, externalId } }
}

function text(value: unknown): string {
  return value === undefined ? '' : String(value)
}
