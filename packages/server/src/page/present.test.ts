import assert from 'node:assert/strict'
import test from 'node:test'
import type { Author, Page, Post as WirePost } from '@fanwise/sdk'
import { makePostId } from '../domain/post-id.ts'
import type { User } from '../domain/user.ts'
import { presentAuthor, presentPage, presentPost } from './present.ts'

const author: User = {
  number: 7,
  id: 'ann',
  version: 1,
  visibility: 'public',
  status: 'active',
  createdAt: 1,
  counts: { followers: 1, following: 2, posts: 3 },
  name: 'Ann "A" \u2028',
  avatar: null,
  attributes: { team: 'x' }
}
const id = makePostId(Date.UTC(2026, 0, 2, 3, 4, 5, 6), 1, 2)
const post = {
  id,
  author: 7,
  content: 'a "quoted" \\ text',
  attrs: { n: 1, inside: { deep: [null] } },
  editedAt: null,
  deleted: false
}

const parse = <T>(bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString()) as T

test('a post is JSON of the shape that the contract names, and nothing else', () => {
  const wire: WirePost = {
    id,
    author: { id: 'ann', name: author.name, avatar: null, attributes: { team: 'x' } },
    content: post.content,
    attrs: { n: 1, inside: { deep: [null] } },
    createdAt: '2026-01-02T03:04:05.006Z',
    editedAt: null,
    counts: { likes: 3 },
    viewer: { liked: true }
  }
  assert.deepEqual(parse(presentPost({ post, author }, 3, true)), wire)
  assert.deepEqual(parse(presentAuthor(author)) as Author, wire.author)
  const edited = presentPost({ post: { ...post, editedAt: 0 }, author }, 0, false)
  assert.equal(parse<WirePost>(edited).editedAt, '1970-01-01T00:00:00.000Z')
})

test('a page is JSON, whatever it holds', () => {
  const item = presentPost({ post, author }, 0, false)
  const page = (items: Uint8Array[], partial: boolean, cursor: string | null) =>
    parse<Page<WirePost>>(presentPage({ items, partial }, cursor))
  assert.deepEqual(page([], false, null), { items: [], nextCursor: null })
  const two = page([item, item], true, 'c"')
  assert.equal(two.items.length, 2)
  assert.equal(two.items[1]?.id, id)
  assert.deepEqual([two.nextCursor, two.partial], ['c"', true])
  assert.equal('partial' in page([item], false, null), false)
})
