import { createHash } from 'node:crypto'
import type { JsonObject } from '@fanwise/sdk'
import { isPostId } from '../../domain/post-id.ts'
import { isStorable, isStorableJson } from '../../domain/text.ts'
import { isUserId } from '../../domain/user.ts'
import { followOf, type ImportKind, type Parsed, rejected } from './record.ts'
import type { Row } from './table.ts'
import { parseTime } from './time.ts'

/** Turns rows of one kind into records. One reader per file: it counts equal posts. */
export function rowReader(kind: ImportKind): (row: Row) => Parsed {
  if (kind === 'posts') return postReader()
  return { follows: toFollow, likes: toLike, users: toUser }[kind]
}

/** Rows that name their own kind, as an export writes them. */
export function mixedReader(): (row: Row) => Parsed {
  const readers = new Map<unknown, (row: Row) => Parsed>([
    ['user', toUser],
    ['follow', toFollow],
    ['post', postReader()],
    ['like', toLike]
  ])
  return row => {
    const read = readers.get(row.fields.kind)
    return read ? read(row) : rejected(row.line, `kind "${row.fields.kind}" is not known`)
  }
}

/** Posts without an external id get one from their own content, so that the same file imports only once. */
function postReader(): (row: Row) => Parsed {
  const seen = new Map<string, number>()
  return row => {
    const { line, fields } = row
    const author = String(fields.author ?? fields.user ?? '')
    const content = fields.content
    if (!isUserId(author)) return rejected(line, `author "${author.slice(0, 80)}" is not a user id`)
    if (typeof content !== 'string') return rejected(line, 'content is empty or not a text')
    const createdAt = fields.createdAt === undefined ? undefined : parseTime(fields.createdAt)
    if (fields.createdAt !== undefined && createdAt === undefined)
      return rejected(line, `createdAt "${String(fields.createdAt)}" is not a time`)
    const attrs = toAttrs(fields.attrs)
    if (attrs === null) return rejected(line, 'attrs is not a JSON object that can be stored')
    const externalId =
      toExternalId(fields.externalId) ?? derivedId(seen, [author, createdAt, content])
    return {
      kind: 'post',
      line,
      value: {
        author,
        content,
        externalId,
        ...(createdAt && { createdAt }),
        ...(attrs && { attrs })
      }
    }
  }
}

function derivedId(seen: Map<string, number>, parts: readonly unknown[]): string {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22)
  const times = (seen.get(hash) ?? 0) + 1
  seen.set(hash, times)
  return times === 1 ? hash : `${hash}.${times}`
}

function toExternalId(value: unknown): string | undefined {
  const text = value === undefined ? '' : String(value)
  return text.length > 0 && text.length <= 128 && isStorable(text) ? text : undefined
}

function toAttrs(value: unknown): JsonObject | undefined | null {
  if (value === undefined || value === '') return undefined
  const object: unknown = typeof value === 'string' ? safeParse(value) : value
  if (typeof object !== 'object' || object === null || Array.isArray(object)) return null
  return isStorableJson(object) ? (object as JsonObject) : null
}

function safeParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function toFollow({ line, fields }: Row): Parsed {
  return followOf(line, String(fields.follower ?? ''), String(fields.followee ?? ''))
}

function toLike({ line, fields }: Row): Parsed {
  const user = String(fields.user ?? '')
  const post = String(fields.post ?? '')
  const author = String(fields.author ?? '')
  if (!isUserId(user)) return rejected(line, `user "${user.slice(0, 80)}" is not a user id`)
  if (isPostId(post)) return { kind: 'like', line, value: { user, post } }
  const externalId = toExternalId(fields.externalId ?? fields.post)
  if (externalId === undefined || !isUserId(author))
    return rejected(line, 'a like needs a post id, or author and externalId')
  return { kind: 'like', line, value: { user, author, externalId } }
}

function toUser({ line, fields }: Row): Parsed {
  const id = String(fields.id ?? fields.user ?? '')
  if (!isUserId(id)) return rejected(line, `id "${id.slice(0, 80)}" is not a user id`)
  const attributes = toAttrs(fields.attributes)
  if (attributes === null)
    return rejected(line, 'attributes is not a JSON object that can be stored')
  const visibility = fields.visibility || undefined
  if (visibility !== undefined && visibility !== 'public' && visibility !== 'private')
    return rejected(line, `visibility "${String(visibility)}" is neither public nor private`)
  const name = typeof fields.name === 'string' && isStorable(fields.name) ? fields.name : null
  const avatar =
    typeof fields.avatar === 'string' && isStorable(fields.avatar) ? fields.avatar : null
  return {
    kind: 'user',
    line,
    value: {
      id,
      ...(name && { name }),
      ...(avatar && { avatar }),
      ...(attributes && { attributes }),
      ...(visibility && { visibility })
    }
  }
}
