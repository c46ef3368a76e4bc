import type { Author, FollowResult, Page, Profile } from '@fanwise/sdk'
import Type from 'typebox'
import { AttributesSchema, orNull, strict, TimeSchema, text, UserIdSchema } from './common.ts'

const count = Type.Integer({ minimum: 0 })

const name = orNull(text(0, 200, 'The name that is shown.', 'Ada'))
const avatar = orNull(text(0, 2048, 'The address of a picture.', 'https://cdn.example.com/ada.png'))

const visibility = Type.Union([Type.Literal('public'), Type.Literal('private')], {
  description: 'Posts of a private account are for followers whom it accepted.',
  examples: ['public']
})

/** What a user may set of themselves. */
export const profileFields = {
  name: Type.Optional(name),
  avatar: Type.Optional(avatar),
  attributes: Type.Optional(AttributesSchema),
  visibility: Type.Optional(visibility)
}

export const ProfileChangeSchema = Type.Object(profileFields, {
  ...strict,
  examples: [{ name: 'Ada', avatar: null, attributes: { team: 'analytics' } }]
})

const author = { id: UserIdSchema, name, avatar, attributes: AttributesSchema }

export const AuthorSchema = Type.Object(author, {
  $id: 'Author',
  ...strict,
  description: 'A user as lists and posts show them.',
  examples: [{ id: 'ada', name: 'Ada', avatar: null, attributes: { team: 'analytics' } }]
})

export const AuthorRef = Type.Unsafe<Author>({ $ref: 'Author#' })

export const ProfileSchema = Type.Object(
  {
    ...author,
    visibility,
    createdAt: TimeSchema,
    counts: Type.Object({ followers: count, following: count, posts: count }, strict)
  },
  {
    $id: 'Profile',
    ...strict,
    description: 'A user. Counts may lag by about a second.',
    examples: [
      {
        ...{ id: 'ada', name: 'Ada', avatar: null, attributes: { team: 'analytics' } },
        visibility: 'public',
        createdAt: '2026-01-31T09:30:00.000Z',
        counts: { followers: 42, following: 7, posts: 12 }
      }
    ]
  }
)

export const ProfileRef = Type.Unsafe<Profile>({ $ref: 'Profile#' })

export const FollowResultSchema = Type.Object(
  { state: Type.Union([Type.Literal('following'), Type.Literal('requested')]) },
  {
    $id: 'FollowResult',
    ...strict,
    description: '`requested`: the account is private, and has to accept.',
    examples: [{ state: 'following' }]
  }
)

export const FollowResultRef = Type.Unsafe<FollowResult>({ $ref: 'FollowResult#' })

const nextCursor = Type.Union([Type.String(), Type.Null()], {
  description: 'Null at the end, and only there.'
})
const partial = Type.Optional(Type.Literal(true))

export const AuthorPageSchema = Type.Object(
  { items: Type.Array(AuthorRef), nextCursor, partial },
  { $id: 'AuthorPage', ...strict, description: 'Users.' }
)

export const AuthorPageRef = Type.Unsafe<Page<Author>>({ $ref: 'AuthorPage#' })

export const ProfilePageSchema = Type.Object(
  { items: Type.Array(ProfileRef), nextCursor, partial },
  { $id: 'ProfilePage', ...strict, description: 'Users with their counts.' }
)

export const ProfilePageRef = Type.Unsafe<Page<Profile>>({ $ref: 'ProfilePage#' })
