import type { JsonObject, Stats, VerifyReport } from '@fanwise/sdk'
import Type from 'typebox'
import { PostIdSchema, strict, UserIdSchema } from './common.ts'

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

const VERIFIED: VerifyReport = {
  ...{ readers: 1, cold: 0 },
  pages: { warm: 40, store: 12, seam: 1 },
  ...{ pending: 0, differences: 0, missing: 0, extra: 0, misordered: 0 },
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
    examples: Type.Array(example, { maxItems: 20, description: 'Some of the differences.' })
  },
  {
    $id: 'VerifyReport',
    ...strict,
    description:
      'Walks through the feed (as it stands, evicted, rebuilt) compared with the oracle.',
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
