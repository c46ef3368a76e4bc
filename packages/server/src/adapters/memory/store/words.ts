import type { Post } from '../../../domain/post.ts'
import type { User } from '../../../domain/user.ts'
import type { Published } from '../../../ports/store.ts'
import type { KeyRow } from './tables.ts'

const NO_TEXT = { content: '', attrs: {} }
const NO_PROFILE = { name: null, avatar: null, attributes: {} }

function isPublished(value: unknown): value is Published {
  return typeof value === 'object' && value !== null && 'post' in value
}

/** What a key keeps of a post, without its words. */
export function withoutText(row: KeyRow): KeyRow {
  const value = row.outcome?.value
  const blank = isPublished(value)
    ? { ...value, post: { ...value.post, ...NO_TEXT } }
    : { ...(value as Post), ...NO_TEXT }
  return { ...row, outcome: { value: blank } }
}

/** The same without all that its user said. */
export function withoutWords(row: KeyRow): KeyRow {
  const value = row.outcome?.value as Published | Post | User
  if (isPublished(value)) {
    const blank = {
      post: { ...value.post, ...NO_TEXT },
      author: { ...value.author, ...NO_PROFILE }
    }
    return { ...row, about: null, outcome: { value: blank } }
  }
  const blank = { ...value, ...('content' in value ? NO_TEXT : NO_PROFILE) }
  return { ...row, about: null, outcome: { value: blank } }
}
