import { access } from 'node:fs/promises'
import path from 'node:path'
import { readLines } from './lines.ts'
import { type Parsed, rejected } from './record.ts'
import type { Row } from './table.ts'
import { parseTime } from './time.ts'

/**
 * A folder of the LDBC social network: persons.csv, knows.csv (each line two follows), posts.csv with
 * post_creators.csv, likes.csv; `|` between columns, times in ms since 1970.
 */
export async function* readLdbc(folder: string): AsyncGenerator<Parsed> {
  const file = (name: string) => path.join(folder, name)
  for await (const { fields } of rows(file('persons.csv')))
    yield {
      kind: 'user',
      value: { id: text(fields.id), attributes: { language: text(fields.language) } }
    }
  for await (const { values } of rows(file('knows.csv'))) {
    const [a = '', b = ''] = values
    yield { kind: 'follow', value: { follower: a, followee: b } }
    yield { kind: 'follow', value: { follower: b, followee: a } }
  }
  const creators = new Map<string, string>()
  for await (const { values } of rows(file('post_creators.csv')))
    creators.set(values[0] ?? '', values[1] ?? '')
  for await (const row of rows(file('posts.csv'))) yield toPost(row, creators)
  for await (const { values, line } of rows(file('likes.csv'))) yield toLike(values, line, creators)
}

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

async function* rows(file: string): AsyncGenerator<LdbcRow> {
  let header: readonly string[] = []
  let line = 0
  for await (const raw of readLines(file)) {
    line++
    const values = raw.split('|')
    if (line === 1) header = values
    else if (raw !== '') {
      const fields = Object.fromEntries(header.map((name, index) => [name, values[index]]))
      yield { line, fields, values }
    }
  }
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
  return { kind: 'post', value: { author, content, createdAt, externalId, attrs } }
}

function toLike(
  values: readonly string[],
  line: number,
  creators: ReadonlyMap<string, string>
): Parsed {
  const [user = '', externalId = ''] = values
  const author = creators.get(externalId)
  if (author === undefined) return rejected(line, `like of unknown post ${externalId}`)
  return { kind: 'like', value: { user, author, externalId } }
}

function text(value: unknown): string {
  return value === undefined ? '' : String(value)
}
