import type { DeadEvent, DeadRecord, Page } from '@fanwise/sdk'
import Type from 'typebox'
import { orNull, strict, TimeSchema, UserIdSchema } from './common.ts'

const EVENT_ID = '^[1-9][0-9]{0,18}$'
const POSITION = '^(0|[1-9][0-9]{0,17})$'

const user = orNull(UserIdSchema)

const EVENT: DeadEvent = {
  ...{ id: '4711', type: 'post', user: 'ada', post: '3736512345678901234', reader: null },
  ...{ diedAt: '2026-01-31T09:30:00.000Z', attempts: 1 },
  reason: 'WRONGTYPE Operation against a key holding the wrong kind of value'
}

const RECORD: DeadRecord = {
  ...{ position: '0', partition: 3, offset: '1234', key: '7', value: '{"type":"Post"}' },
  reason: 'its type is no type of event'
}

const DeadEventSchema = Type.Object(
  {
    id: Type.String({ description: 'Changes when the event is retried.' }),
    type: Type.String({ description: '`post edit delete relation rules user`' }),
    user,
    post: orNull(Type.String({ description: 'Of `post`, `edit` and `delete`.' })),
    reader: user,
    diedAt: TimeSchema,
    attempts: Type.Integer({ minimum: 1, description: 'How often it was given up.' }),
    reason: Type.String({ description: 'What it failed with the last time.' })
  },
  { ...strict, examples: [EVENT] }
)

export const DeadPageSchema = Type.Object(
  {
    items: Type.Array(DeadEventSchema),
    nextCursor: Type.Union([Type.String(), Type.Null()], {
      description: 'Null at the end, and only there.'
    })
  },
  { ...strict, examples: [{ items: [EVENT], nextCursor: null }] }
)

const text = Type.String()

export const DeadRecordsSchema = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          ...{ position: text, partition: Type.Integer(), offset: text, key: text, reason: text },
          value: Type.String({ description: 'At most 1,000 characters of it.' })
        },
        strict
      )
    )
  },
  { ...strict, examples: [{ items: [RECORD] }] }
)

export const DeadPageRef = Type.Unsafe<Page<DeadEvent>>(DeadPageSchema)

export const DeadEventParams = Type.Object({ id: Type.String({ pattern: EVENT_ID }) }, strict)

export const DeadRecordParams = Type.Object(
  { position: Type.String({ pattern: POSITION }) },
  strict
)

export const DeadRecordsQuerySchema = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, description: 'Records; 20 if absent.' })
    )
  },
  strict
)
