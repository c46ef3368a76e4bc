import type { JsonObject } from '@fanwise/sdk'
import Type from 'typebox'

const USER_ID = '^(?!\\.{1,2}$)[A-Za-z0-9_.:-]{1,64}$'
const POST_ID = '^[1-9][0-9]{18}$'

export const strict = { additionalProperties: false } as const

export const UserIdSchema = Type.String({
  pattern: USER_ID,
  description: "The app's own id of a user: 1-64 of `A-Z a-z 0-9 _ . : -`.",
  examples: ['ada']
})

export const PostIdSchema = Type.String({
  pattern: POST_ID,
  description:
    'The id of a post: 19 digits. A larger one is a newer post. Not a number: keep it as text.',
  examples: ['3736512345678901234']
})

/** Custom fields of the app. */
export const AttributesSchema = Type.Unsafe<JsonObject>({
  type: 'object',
  description: 'Custom fields of the app.',
  examples: [{ topic: 'engines' }]
})

/** A text of at most `max` UTF-16 units: other counts differ between languages. */
export function text(min: number, max: number, description: string, example: string) {
  const schema = { minLength: min, maxLength: max, description, examples: [example] }
  const message = `must not have more than ${max} characters (UTF-16 units)`
  return Type.Refine(
    Type.String(schema),
    value => value.length <= max,
    () => message
  )
}

export function orNull<T extends Type.TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()])
}

export const TimeSchema = Type.String({
  format: 'date-time',
  description: 'ISO 8601.',
  examples: ['2026-01-31T09:30:00.000Z']
})

export const CreatedAtSchema = Type.String({
  format: 'date-time',
  description: 'ISO 8601: 1985-02-09T22:45:58.204Z to now + 5 s; now if absent.',
  examples: ['2026-01-31T09:30:00.000Z']
})

export const UserParams = Type.Object({ id: UserIdSchema }, strict)
export const FollowerParams = Type.Object({ id: UserIdSchema, follower: UserIdSchema }, strict)
export const PostParams = Type.Object({ id: PostIdSchema }, strict)
export const ReaderParams = Type.Object({ reader: UserIdSchema }, strict)

export const pageFields = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      description: 'Items per page; 20 if absent.',
      examples: [20]
    })
  ),
  cursor: Type.Optional(
    Type.String({
      description: '`nextCursor` of the page before; from the beginning if absent.'
    })
  )
}

export const PageQuerySchema = Type.Object(pageFields, strict)
