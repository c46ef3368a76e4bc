import { Problem } from '../domain/errors.ts'
import type { Limits } from '../domain/limits.ts'
import type { NewPost, PostChange } from '../domain/post.ts'
import { isStorable, isStorableJson } from '../domain/text.ts'
import type { Attributes, Profile } from '../domain/user.ts'

type TextLimits = Pick<Limits, 'contentMax' | 'attrsBytes'>

/** What no schema can say of a post. `field` names it: 'posts[3].content'. @throws Problem invalid_text, invalid_request */
export function checkPost(
  post: Pick<NewPost, 'content' | 'attrs'>,
  limits: TextLimits,
  field: (name: string) => string = name => name
): void {
  checkContent(post.content, limits, field('content'))
  checkAttributes(post.attrs, limits, field('attrs'))
}

/** @throws Problem invalid_text, invalid_request */
export function checkPostChange(change: PostChange, limits: TextLimits): void {
  if (change.content !== undefined) checkContent(change.content, limits, 'content')
  if (change.attrs !== undefined) checkAttributes(change.attrs, limits, 'attrs')
}

/** @throws Problem invalid_text, invalid_request */
export function checkProfile(
  change: Partial<Profile>,
  limits: TextLimits,
  field: (name: string) => string = name => name
): void {
  if (typeof change.name === 'string') checkText(change.name, field('name'))
  if (typeof change.avatar === 'string') checkText(change.avatar, field('avatar'))
  if (change.attributes !== undefined)
    checkAttributes(change.attributes, limits, field('attributes'))
}

/** @throws Problem self_relation */
export function checkPair(reader: number, author: number): void {
  if (reader === author) throw new Problem('self_relation')
}

function checkContent(content: string, limits: TextLimits, field: string): void {
  checkText(content, field)
  if (content.length >= 1 && content.length <= limits.contentMax) return
  throw new Problem(
    'invalid_request',
    `The field "${field}" has ${content.length} characters; 1 to ${limits.contentMax} are allowed.`
  )
}

/** The size comes first: it also bounds the depth. */
function checkAttributes(attributes: Attributes, limits: TextLimits, field: string): void {
  const bytes = Buffer.byteLength(JSON.stringify(attributes))
  if (bytes > limits.attrsBytes)
    throw new Problem(
      'invalid_request',
      `The field "${field}" has ${bytes} bytes as JSON; at most ${limits.attrsBytes} are allowed.`
    )
  if (!isStorableJson(attributes)) throw unstorable(field)
}

/** @throws Problem invalid_text */
export function checkText(text: string, field: string): void {
  if (!isStorable(text)) throw unstorable(field)
}

function unstorable(field: string): Problem {
  return new Problem(
    'invalid_text',
    `The field "${field}" holds a NUL or half of a surrogate pair.`,
    { field }
  )
}
