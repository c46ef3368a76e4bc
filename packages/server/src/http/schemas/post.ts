import type { FeedPage, FoundPosts, Post } from '@fanwise/sdk'
import Type from 'typebox'
import { AttributesSchema, PostIdSchema, strict, TimeSchema, text } from './common.ts'
import { AuthorRef } from './user.ts'

const content = text(1, 10_000, 'The text: 1-10,000 UTF-16 units.', 'The engine weaves patterns.')
const likes = Type.Integer({ minimum: 0, description: 'May lag by about a second.' })

export const NewPostSchema = Type.Object(
  {
    content,
    attrs: Type.Optional(AttributesSchema),
    mediaIds: Type.Optional(
      Type.Array(Type.String({ maxLength: 64 }), {
        maxItems: 20,
        description: 'Refused with `media_not_enabled` unless the server stores media.'
      })
    )
  },
  { ...strict, examples: [{ content: 'The engine weaves patterns.', attrs: { topic: 'engines' } }] }
)

export const PostChangeSchema = Type.Object(
  { content: Type.Optional(content), attrs: Type.Optional(AttributesSchema) },
  { ...strict, minProperties: 1, examples: [{ content: 'The engine weaves algebraic patterns.' }] }
)

export const PostSchema = Type.Object(
  {
    id: PostIdSchema,
    author: AuthorRef,
    content: Type.String(),
    attrs: AttributesSchema,
    createdAt: TimeSchema,
    editedAt: Type.Union([TimeSchema, Type.Null()]),
    counts: Type.Object({ likes }, strict),
    viewer: Type.Object({ liked: Type.Boolean() }, strict)
  },
  {
    $id: 'Post',
    ...strict,
    description: 'A post as the reader who asked sees it.',
    examples: [
      {
        id: '3736512345678901234',
        author: { id: 'ada', name: 'Ada', avatar: null, attributes: {} },
        content: 'The engine weaves patterns.',
        attrs: { topic: 'engines' },
        createdAt: '2026-01-31T09:30:00.000Z',
        editedAt: null,
        counts: { likes: 3 },
        viewer: { liked: true }
      }
    ]
  }
)

export const PostRef = Type.Unsafe<Post>({ $ref: 'Post#' })

const nextCursor = Type.Union([Type.String(), Type.Null()], {
  description: 'Null at the end, and only there.'
})

export const PostPageSchema = Type.Object(
  {
    items: Type.Array(PostRef),
    nextCursor,
    partial: Type.Optional(
      Type.Literal(true, { description: 'Cut short by a bound; `nextCursor` goes on behind it.' })
    ),
    snapshot: Type.Optional(
      Type.String({ description: 'Of a page by its number: what numbers the posts of all pages.' })
    )
  },
  {
    $id: 'PostPage',
    ...strict,
    description: 'Posts, newest first; oldest first in a walk up, by `after` alone.'
  }
)

export const PostPageRef = Type.Unsafe<FeedPage>({ $ref: 'PostPage#' })

const POSTS_MAX = 100
const POST_ID = '[1-9][0-9]{18}'

export const PostIdsSchema = Type.Object(
  {
    ids: Type.String({
      pattern: `^${POST_ID}(,${POST_ID}){0,${POSTS_MAX - 1}}$`,
      description: `Ids of posts, separated by commas; at most ${POSTS_MAX}.`,
      examples: ['3736512345678901234']
    })
  },
  strict
)

export const FoundPostsSchema = Type.Object(
  {
    items: Type.Array(PostRef, { description: 'In the order asked for, each once.' }),
    missing: Type.Array(PostIdSchema, {
      description: 'Ids without a post that the reader may see: unknown, deleted, or not for them.'
    })
  },
  { $id: 'FoundPosts', ...strict, description: 'Posts that were asked for by their ids.' }
)

export const FoundPostsRef = Type.Unsafe<FoundPosts>({ $ref: 'FoundPosts#' })
