import type { Explanation, PostDelivery } from '@fanwise/sdk'
import Type from 'typebox'
import { orNull, PostIdSchema, strict, TimeSchema, UserIdSchema } from './common.ts'

const count = Type.Integer({ minimum: 0 })
const mode = Type.Enum(['push', 'both', 'pull'])
const time = orNull(TimeSchema)

const DELIVERY: PostDelivery = {
  ...{ post: '3736512345678901234', state: 'done', mode: 'push', backlog: false },
  ...{ followers: 1500, slices: { done: 2, of: 2 } },
  ...{ pushed: 1200, cold: 300, late: 0, failed: 0 },
  ...{ createdAt: '2026-01-31T09:30:00.000Z', relayedAt: '2026-01-31T09:30:00.010Z' },
  ...{ startedAt: '2026-01-31T09:30:00.020Z', doneAt: '2026-01-31T09:30:00.030Z' }
}

export const PostDeliverySchema = Type.Object(
  {
    post: PostIdSchema,
    state: Type.Enum(['waiting', 'relayed', 'in_work', 'done', 'pulled', 'given_up', 'unrecorded']),
    mode: orNull(mode),
    backlog: Type.Boolean({
      description: 'Too old to be pushed: the feeds it belongs to are built again.'
    }),
    followers: Type.Integer({ minimum: 0, description: 'Of the author, now.' }),
    slices: Type.Object({ done: count, of: count }, strict),
    pushed: Type.Integer({ minimum: 0, description: 'Feeds that took it.' }),
    cold: Type.Integer({ minimum: 0, description: 'Feeds that are built when they are read.' }),
    late: Type.Integer({
      minimum: 0,
      description: 'Of those pushed: over 15 s after it was made.'
    }),
    failed: Type.Integer({ minimum: 0, description: 'Feeds that could not be reached.' }),
    createdAt: TimeSchema,
    ...{ relayedAt: time, startedAt: time, doneAt: time }
  },
  {
    $id: 'PostDelivery',
    ...strict,
    description: 'How far the fan-out of a post is. Records are kept for 7 days.',
    examples: [DELIVERY]
  }
)

export const PostDeliveryRef = Type.Unsafe<PostDelivery>({ $ref: 'PostDelivery#' })

const reason = Type.Object(
  {
    code: Type.String({ description: 'Stable; docs/concepts.md lists them.' }),
    message: Type.String({ description: 'For people.' })
  },
  strict
)

const record = Type.Object(
  {
    at: TimeSchema,
    worker: Type.String({ description: 'Machine and process.' }),
    work: Type.Enum(['pushed', 'failed', 'pulled', 'backlog']),
    mode,
    slice: Type.Integer({ minimum: 0, description: 'From 1; 0 where nothing is pushed.' }),
    took: Type.Boolean({ description: "Whether the reader's feed took the post." }),
    ...{ pushed: count, cold: count, late: count, failed: count }
  },
  strict
)

const event = Type.Object(
  {
    id: Type.String(),
    lane: count,
    partition: orNull(count),
    offset: orNull(Type.String()),
    relayedAt: time,
    givenUp: orNull(Type.Object({ at: TimeSchema, reason: Type.String() }, strict))
  },
  strict
)

const RECORD = 'It was pushed to the feed by worker feeds-2:417 at 2026-01-31T09:30:00.030Z.'
const IN_FEED = 'It stands in the warm list of the feed.'

const EXPLANATION: Explanation = {
  ...{ reader: 'bob', post: '3736512345678901234', author: 'ada', shown: true },
  summary: `The feed of bob shows this post of ada. ${IN_FEED} ${RECORD} It is number 3, on page 1 of 20 posts each.`,
  reasons: [
    { code: 'in_feed', message: IN_FEED },
    { code: 'pushed', message: RECORD }
  ],
  ...{ source: 'feed', position: 3, page: 1 },
  feed: { state: 'warm', floor: '0', holds: true },
  event: {
    ...{ id: '4711', lane: 12, partition: 3, offset: '1234' },
    ...{ relayedAt: '2026-01-31T09:30:00.010Z', givenUp: null }
  },
  records: [
    {
      ...{ at: '2026-01-31T09:30:00.030Z', worker: 'feeds-2:417', work: 'pushed', mode: 'push' },
      ...{ slice: 1, took: true, pushed: 800, cold: 200, late: 0, failed: 0 }
    }
  ],
  delivery: DELIVERY
}

export const ExplanationSchema = Type.Object(
  {
    reader: UserIdSchema,
    post: PostIdSchema,
    author: orNull(UserIdSchema),
    shown: Type.Boolean({ description: 'Whether the feed shows it now.' }),
    summary: Type.String({ description: 'The answer for people.' }),
    reasons: Type.Array(reason, {
      description: 'What decides first, then what the records tell.'
    }),
    source: orNull(Type.Enum(['feed', 'timeline', 'store'])),
    position: orNull(
      Type.Integer({ minimum: 1, description: 'Null when not shown, or deeper than 1,000 posts.' })
    ),
    page: orNull(Type.Integer({ minimum: 1, description: 'With 20 posts a page.' })),
    feed: Type.Object(
      {
        state: Type.Enum(['cold', 'building', 'warm', 'unreachable']),
        floor: orNull(Type.String({ description: 'The list is complete above this id.' })),
        holds: Type.Boolean()
      },
      strict
    ),
    event: orNull(event),
    records: Type.Array(record, { description: 'Newest first.' }),
    delivery: orNull(Type.Unsafe<PostDelivery>({ $ref: 'PostDelivery#' }))
  },
  {
    $id: 'Explanation',
    ...strict,
    description: "Why a post is, or is not, in a reader's feed.",
    examples: [EXPLANATION]
  }
)

export const ExplanationRef = Type.Unsafe<Explanation>({ $ref: 'Explanation#' })

export const ExplainQuerySchema = Type.Object({ post: PostIdSchema }, strict)
