import type { JsonObject, Stats, VerifyReport } from '@fanwise/sdk'
import Type from 'typebox'
import { orNull, PostIdSchema, strict, UserIdSchema } from './common.ts'

const count = Type.Integer({ minimum: 0 })

export const SettleSchema = Type.Object(
  {
    timeoutMs: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 600_000, description: 'How long to wait at most.' })
    )
  },
  { ...strict, examples: [{ timeoutMs: 10_000 }] }
)

export const SettledSchema = Type.Object(
  { settled: Type.Boolean({ description: 'False when the time was over before.' }) },
  { ...strict, examples: [{ settled: true }] }
)

export const RebuiltSchema = Type.Object(
  { ids: Type.Integer({ minimum: 0, description: 'Posts in the feed now.' }) },
  { ...strict, examples: [{ ids: 800 }] }
)

const example = Type.Object(
  {
    reader: UserIdSchema,
    walk: Type.Enum(['warm', 'store', 'rebuilt']),
    kind: Type.Enum(['missing', 'extra', 'misordered']),
    post: PostIdSchema
  },
  strict
)

export const VerifyQuerySchema = Type.Object(
  {
    only: Type.Optional(
      Type.Enum(['warm'], {
        description:
          '`warm`: only the feed as it stands, while it is warm, down to where the Store takes over. Drops and builds nothing that is right. Absent: also evicted and rebuilt, each walked to its end.',
        examples: ['warm']
      })
    )
  },
  strict
)

export const SampleQuerySchema = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_000,
        description: 'Readers at most; 100 if absent.',
        examples: [100]
      })
    )
  },
  strict
)

export const SampleSchema = Type.Object(
  { readers: Type.Array(UserIdSchema) },
  { ...strict, examples: [{ readers: ['ada', 'bob'] }] }
)

const wrongCount = Type.Object(
  {
    reader: UserIdSchema,
    of: Type.Enum(['followers', 'following', 'posts', 'likes']),
    post: orNull(PostIdSchema),
    shown: Type.Integer(),
    counted: Type.Integer({ description: 'What the rows say.' })
  },
  strict
)

const counts = Type.Object(
  {
    ...{ checked: count, wrong: count },
    repaired: Type.Integer({ minimum: 0, description: 'Wrong ones that are right now.' }),
    examples: Type.Array(wrongCount, { maxItems: 20, description: 'Some of the wrong ones.' })
  },
  {
    ...strict,
    description: 'Counts of readers, and likes of the newest posts that they are shown.'
  }
)

const VERIFIED: VerifyReport = {
  ...{ readers: 1, cold: 0 },
  pages: { warm: 40, store: 12, seam: 1 },
  ...{ pending: 0, differences: 0, missing: 0, extra: 0, misordered: 0 },
  ...{ repaired: 0, stillWrong: 0 },
  counts: { checked: 23, wrong: 0, repaired: 0, examples: [] },
  examples: []
}

export const VerifyReportSchema = Type.Object(
  {
    readers: count,
    cold: Type.Integer({ minimum: 0, description: 'Readers whose feed was not warm.' }),
    pages: Type.Object({ warm: count, store: count, seam: count }, strict),
    pending: Type.Integer({
      minimum: 0,
      description: 'Events that were not worked off in time; feeds are not judged then.'
    }),
    ...{ differences: count, missing: count, extra: count, misordered: count },
    repaired: Type.Integer({
      minimum: 0,
      description: 'Readers whose feed was wrong, was made anew, and is right now.'
    }),
    stillWrong: Type.Integer({
      minimum: 0,
      description: 'Readers whose feed was found wrong and not repaired.'
    }),
    counts,
    examples: Type.Array(example, { maxItems: 20, description: 'Some of the differences.' })
  },
  {
    $id: 'VerifyReport',
    ...strict,
    description:
      'Walks through the feed (as it stands, evicted, rebuilt) compared with the oracle, and counts with their rows.',
    examples: [VERIFIED]
  }
)

export const VerifyReportRef = Type.Unsafe<VerifyReport>({ $ref: 'VerifyReport#' })

const STATS: Stats = {
  ...{ users: 1000, posts: 20_000, follows: 30_000, likes: 5000 },
  ...{ outboxPending: 0, outboxDead: 0 },
  feeds: { warm: 120, bytes: 1_048_576 },
  uptimeMs: 60_000,
  mode: 'embedded',
  roles: ['api', 'relay', 'fanout', 'janitor'],
  limits: { cap: 800 }
}

export const StatsSchema = Type.Object(
  {
    ...{ users: count, posts: count, follows: count, likes: count },
    outboxPending: Type.Integer({ description: 'Outbox rows whose event is not safe yet.' }),
    outboxDead: Type.Integer({ description: 'Events given up after repeated failures.' }),
    feeds: Type.Object({ warm: count, bytes: count }, strict),
    uptimeMs: Type.Number({ minimum: 0 }),
    mode: Type.String(),
    roles: Type.Array(Type.String()),
    limits: Type.Unsafe<JsonObject>({ type: 'object' })
  },
  { $id: 'Stats', ...strict, description: 'Numbers of the server.', examples: [STATS] }
)

export const StatsRef = Type.Unsafe<Stats>({ $ref: 'Stats#' })
