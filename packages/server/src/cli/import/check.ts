import { CLOCKS_MS } from '../../domain/limits.ts'
import { FIRST_MS } from '../../domain/post-id.ts'
import { isStorable } from '../../domain/text.ts'
import { isUserId } from '../../domain/user.ts'
import type { ImportRecord, Parsed } from './record.ts'

const CONTENT_MAX = 10_000
const NAME_MAX = 200
const AVATAR_MAX = 2048
const ATTRIBUTES_BYTES = 8192

/** What the server would refuse, told before it costs a request. What only the server knows is told by it. */
export function checked(record: Parsed): Parsed {
  if (record.kind === 'rejected') return record
  const reason = problemOf(record)
  if (reason === undefined) return record
  const { line, file } = record
  return { kind: 'rejected', line, reason, ...(file !== undefined && { file }) }
}

function problemOf(record: ImportRecord): string | undefined {
  if (record.kind === 'user') return userProblem(record.value)
  if (record.kind === 'follow')
    return notUser(record.value.follower) ?? notUser(record.value.followee)
  if (record.kind === 'like') return notUser(record.value.user)
  return postProblem(record.value)
}

function userProblem(user: Extract<ImportRecord, { kind: 'user' }>['value']): string | undefined {
  return (
    notUser(user.id) ??
    tooLong('name', user.name, NAME_MAX) ??
    tooLong('avatar', user.avatar, AVATAR_MAX) ??
    tooLarge('attributes', user.attributes)
  )
}

function postProblem(post: Extract<ImportRecord, { kind: 'post' }>['value']): string | undefined {
  if (post.content.length === 0 || post.content.length > CONTENT_MAX)
    return 'content has to be 1 to 10,000 characters'
  if (!isStorable(post.content)) return 'content holds a NUL or half of a surrogate pair'
  return notUser(post.author) ?? tooLarge('attrs', post.attrs) ?? outOfRange(post.createdAt)
}

function notUser(id: string): string | undefined {
  return isUserId(id) ? undefined : `"${id.slice(0, 80)}" is not a user id`
}

function tooLong(name: string, text: string | null | undefined, max: number): string | undefined {
  if (typeof text !== 'string' || text.length <= max) return undefined
  return `${name} has ${text.length} characters; at most ${max} are allowed`
}

function tooLarge(name: string, attributes: object | undefined): string | undefined {
  if (attributes === undefined) return undefined
  const bytes = Buffer.byteLength(JSON.stringify(attributes))
  if (bytes <= ATTRIBUTES_BYTES) return undefined
  return `${name} has ${bytes} bytes as JSON; at most ${ATTRIBUTES_BYTES} are allowed`
}

function outOfRange(createdAt: string | undefined): string | undefined {
  if (createdAt === undefined) return undefined
  const ms = Date.parse(createdAt)
  if (ms >= FIRST_MS && ms <= Date.now() + CLOCKS_MS) return undefined
  return `createdAt ${createdAt} is before 1985-02-09T22:45:58.204Z or in the future`
}
