import type { Post } from '../domain/post.ts'
import { type PostId, timeOf } from '../domain/post-id.ts'
import type { User } from '../domain/user.ts'
import { isoTime } from '../lib/iso-time.ts'
import { utf8 } from '../lib/utf8.ts'
import type { Published } from '../ports/store.ts'

/** What a page shows of one post, apart from its id. `author` and `rest` are JSON bytes. */
export interface PostParts {
  readonly id: PostId
  readonly author: Uint8Array
  /** From the comma behind the author up to the number of likes. */
  readonly rest: Uint8Array
  readonly likes: number
  readonly liked: boolean
}

/** `Author` of the API as JSON, to be kept. */
export function presentAuthor(user: User): Uint8Array {
  const { id, name, avatar, attributes } = user
  return utf8(JSON.stringify({ id, name, avatar, attributes }))
}

/** The part of a post that only an edit changes, to be kept; joined with the others by `joinPost`. */
export function presentBody(post: Post): Uint8Array {
  const { content, attrs, editedAt } = post
  const body = JSON.stringify({
    content,
    attrs,
    createdAt: isoTime(timeOf(post.id)),
    editedAt: editedAt === null ? null : isoTime(editedAt)
  })
  return utf8(`,${body.slice(1, -1)},"counts":{"likes":`)
}

/** `Post` of the API as JSON: bytes are joined, nothing is serialised again. */
export function joinPost(parts: PostParts): Uint8Array {
  return Buffer.concat([
    Buffer.from(`{"id":"${parts.id}","author":`),
    parts.author,
    parts.rest,
    Buffer.from(`${parts.likes}},"viewer":{"liked":${parts.liked}}}`)
  ])
}

/** `Post` of the API as JSON, for the answer of a write. */
export function presentPost(published: Published, likes: number, liked: boolean): Uint8Array {
  const { post, author } = published
  return joinPost({
    id: post.id,
    author: presentAuthor(author),
    rest: presentBody(post),
    likes,
    liked
  })
}

const COMMA = Buffer.from(',')

/** `FeedPage` of the API as JSON. */
export function presentPage(
  result: {
    readonly items: readonly Uint8Array[]
    readonly partial: boolean
    readonly snapshot?: string | null
  },
  nextCursor: string | null
): Uint8Array {
  const items = result.items.flatMap((item, index) => (index === 0 ? [item] : [COMMA, item]))
  const partial = result.partial ? ',"partial":true' : ''
  const snapshot = result.snapshot ? `,"snapshot":${JSON.stringify(result.snapshot)}` : ''
  return Buffer.concat([
    Buffer.from('{"items":['),
    ...items,
    Buffer.from(`],"nextCursor":${JSON.stringify(nextCursor)}${partial}${snapshot}}`)
  ])
}
