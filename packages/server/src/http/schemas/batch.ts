import type { BatchResult } from '@fanwise/sdk'
import Type from 'typebox'
import { BATCH_MAX } from '../../domain/limits.ts'
import {
  AttributesSchema,
  CreatedAtSchema,
  PostIdSchema,
  strict,
  text,
  UserIdSchema
} from './common.ts'
import { profileFields } from './user.ts'

const externalId = Type.Optional(
  text(1, 128, 'The id that the post has elsewhere; unique per author.', 'blog-17')
)

const user = Type.Object({ id: UserIdSchema, ...profileFields }, strict)
const follow = Type.Object({ follower: UserIdSchema, followee: UserIdSchema }, strict)
const post = Type.Object(
  {
    author: UserIdSchema,
    content: text(1, 10_000, 'The text: 1-10,000 UTF-16 units.', 'The engine weaves patterns.'),
    attrs: Type.Optional(AttributesSchema),
    createdAt: Type.Optional(CreatedAtSchema),
    externalId
  },
  strict
)
const like = Type.Object(
  {
    user: UserIdSchema,
    post: Type.Optional(PostIdSchema),
    author: Type.Optional(UserIdSchema),
    externalId
  },
  { ...strict, description: 'The post by `post`, or by `author` and `externalId`.' }
)

const upTo = { maxItems: BATCH_MAX }

export const BatchSchema = Type.Object(
  {
    users: Type.Optional(Type.Array(user, upTo)),
    follows: Type.Optional(Type.Array(follow, upTo)),
    posts: Type.Optional(Type.Array(post, upTo)),
    likes: Type.Optional(Type.Array(like, upTo))
  },
  {
    ...strict,
    description: `Up to ${BATCH_MAX} entries in all, applied in the order users, follows, posts, likes.`,
    examples: [
      {
        users: [{ id: 'ada', name: 'Ada' }, { id: 'bob' }],
        follows: [{ follower: 'bob', followee: 'ada' }],
        posts: [
          {
            author: 'ada',
            content: 'The engine weaves patterns.',
            createdAt: '2026-01-31T09:30:00.000Z',
            externalId: 'blog-17'
          }
        ],
        likes: [{ user: 'bob', author: 'ada', externalId: 'blog-17' }]
      }
    ]
  }
)

const count = Type.Integer({ minimum: 0 })

export const BatchResultSchema = Type.Object(
  {
    created: Type.Object({ users: count, follows: count, posts: count, likes: count }, strict),
    skipped: Type.Object(
      { follows: count, likes: count },
      {
        ...strict,
        description:
          'How many were left out: between people who block each other, follows of deleted accounts or over the limit, likes of posts that were deleted, whose author is not active, or whom the user may not see.'
      }
    ),
    postIds: Type.Array(PostIdSchema, { description: 'The ids of `posts`, in their order.' })
  },
  {
    $id: 'BatchResult',
    ...strict,
    description: 'How many of each were made and left out; the others were there already.',
    examples: [
      {
        created: { users: 2, follows: 1, posts: 1, likes: 1 },
        skipped: { follows: 0, likes: 0 },
        postIds: ['3736512345678901234']
      }
    ]
  }
)

export const BatchResultRef = Type.Unsafe<BatchResult>({ $ref: 'BatchResult#' })
